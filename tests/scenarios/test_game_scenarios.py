"""Every story of the other games in `games/`, with all its seeds, noise and bounce on."""

from pathlib import Path

import pytest
from stories.performance import Failed
from stories.pieces import PieceStage, PieceStory, read_piece_stories

STORIES = read_piece_stories(Path(__file__).parent / "games")


@pytest.mark.parametrize("story", [pytest.param(story, id=story.name) for story in STORIES])
def test_the_story_goes_as_it_should(story: PieceStory) -> None:
    wrong = {}
    for seed in range(1, story.seeds + 1):
        try:
            PieceStage(story, seed).play()
        except Failed as failed:
            wrong[seed] = str(failed)
    assert not wrong, f"{story.title}: seeds {list(wrong)}\n{next(iter(wrong.values()))}"


def test_each_game_has_its_stories() -> None:
    for game in ("banks", "boxilies", "fourhigh"):
        assert sum(story.game == game for story in STORIES) >= 8, game
