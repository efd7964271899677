// The question for a new game, the same for all: the state's offers in, the wish for one out.

import { html, openDialog } from "./shapes.js";

const $ = (id) => document.getElementById(id);

/** ask(values): with the players, and the game and options where they are to be others than now. */
export function askNewGame({ offered, game: now, players, phase }, ask) {
  const which = $("choose-game");
  const offer = () => offered.find(({ game }) => game === which.value);
  const option = (chosen) => ([value, label]) => html("option", { value, selected: value === chosen }, label);
  const field = (label, select) => html("label", {}, `${label} `, select);
  const picked = (box) => [...$(box).querySelectorAll("select")];

  const fillSeats = () => {
    const { game, seats, players: choices } = offer();
    const count = Number(picked("new-game-options").find((select) => select.dataset.tag === "Players")?.value ?? seats.length);
    $("new-game-seats").replaceChildren(...seats.slice(0, count).map((name, seat) => {
      const before = game === now ? choices.find(({ label }) => label === players[seat]?.title) : undefined;
      const chosen = before?.value ?? (seat === 0 ? "human" : "engine:2");
      return field(name, html("select", { "data-seat": String(seat) }, ...choices.map(({ value, label }) => [value, label]).map(option(chosen))));
    }));
  };
  const fill = () => {
    $("new-game-options").replaceChildren(...offer().options.map(({ tag, label, values, value }) =>
      field(label, html("select", { "data-tag": tag, onchange: fillSeats }, ...values.map((each) => [each, each]).map(option(value))))));
    fillSeats();
  };

  which.replaceChildren(...offered.map(({ game, title }) => [game, title]).map(option(now)));
  which.parentElement.hidden = offered.length === 1;
  which.onchange = fill;
  fill();
  $("new-game-note").hidden = phase === "over" || phase === "setting_up";
  openDialog($("new-game-dialog"), () => {
    const wanted = { players: picked("new-game-seats").map((select) => select.value) };
    const { game, options } = offer();
    const other = picked("new-game-options").filter(({ dataset, value }) => game !== now || value !== options.find(({ tag }) => tag === dataset.tag).value);
    if (game !== now || other.length) {
      wanted.game = game;
      wanted.options = Object.fromEntries(other.map(({ dataset, value }) => [dataset.tag, value]));
    }
    ask(wanted);
  });
}
