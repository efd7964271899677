"""Every story in this folder, with all its seeds, on both kinds of sensor, noise and bounce on; and the mutants."""

from pathlib import Path

import pytest
from stories.mutants import MUTATIONS
from stories.performance import Failed
from stories.stage import Stage
from stories.story import KINDS, SEEDS, Story, StoryError, read_stories, read_story

HERE = Path(__file__).parent
STORIES = read_stories(HERE)
BY_NAME = {story.name: story for story in STORIES}
ALL = [pytest.param(story, kind, id=f"{story.name}-{kind}") for story in STORIES for kind in story.kinds]

CAUGHT = {
    "no rest": ("found-jump_down", "fidgeting", "manner-slow"),
    "nothing is provisional": (
        "amended",
        "withdrawn",
        "lift_in_warning-own",
        "slide_pause-step",
        "early_reply",
    ),
    "the present tilt is ignored": ("in_step", "takeback_three", "manual"),
    "edges are ignored": ("wrong_colour-jump", "wrong_colour_high", "twin-high"),
    "a stop is only said": ("stop_in_swing-early", "stop_provisional"),
    "turns taken back are forgotten": ("undone", "undone_in_swing"),
    "taps are not felt": ("menu_taps-single", "menu_move-taps"),
}
"""Stories that a referee without this virtue does not live through, on presence."""


def failures(story: Story, kind: str, seeds: range, mutant: str | None = None) -> dict[int, str]:
    """What went wrong, by seed."""
    found = {}
    for seed in seeds:
        try:
            Stage(story, kind, seed, MUTATIONS[mutant] if mutant else None).play()
        except Failed as failed:
            found[seed] = str(failed)
    return found


@pytest.mark.parametrize(("story", "kind"), ALL)
def test_the_story_goes_as_it_should(story: Story, kind: str) -> None:
    wrong = failures(story, kind, range(1, story.seeds + 1))
    assert not wrong, f"{story.title}: seeds {list(wrong)}\n{next(iter(wrong.values()))}"


@pytest.mark.parametrize("mutant", MUTATIONS)
def test_a_referee_without_a_virtue_is_found_out(mutant: str) -> None:
    seeds = range(1, 6)
    red = [name for name in CAUGHT[mutant] if failures(BY_NAME[name], "presence", seeds, mutant)]
    print(f"{mutant}: {', '.join(red)}")
    assert red == list(CAUGHT[mutant]), f"{mutant}: only {red or 'nothing'} went red"


def test_every_story_is_told_often_enough() -> None:
    files = {story.name.split("-")[0] for story in STORIES}
    assert len(files) >= 30
    for name in files:
        told = [story for story in STORIES if story.name.split("-")[0] == name]
        assert sum(story.seeds for story in told) >= SEEDS, name
        assert all(story.kinds == KINDS for story in told) or all(story.kinds for story in told)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('title = "x"\nsteps = ["jump a1 a2"]', "nobody can do that"),
        ('title = "x"\nsteps = ["move a1"]', "takes"),
        ('title = "x"\nsteps = ["await Nothing"]', "no event"),
        ('title = "x"\nsteps = ["await TurnTaken colour=1"]', "has no 'colour'"),
        ('title = "x"\nkinds = ["colour"]\nsteps = []', "why"),
        ('title = "x"\nsteps = ["wait $long"]', "variant"),
        ('title = "x"\nmoral = "y"\nsteps = []', "moral"),
        ("title = ", "Invalid"),
    ],
)
def test_a_story_that_cannot_be_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(StoryError, match=rf"^bad\.toml: .*{why}"):
        read_story(path)
