// The panel: what is going on in words, the countdown, the moves, and the buttons that fit now.

import { html } from "./shapes.js";

const $ = (id) => document.getElementById(id);
const REFUSED_MS = 6000;

export class Panel {
  #ask;
  #state = null;
  #held = null;
  #refusedTimer = 0;
  #clock = null;
  #moves = "";
  #actions = "";

  /** ask(action, values); turn(): the picture is to be turned. */
  constructor({ ask, turn }) {
    this.#ask = ask;
    $("turn-board").onclick = turn;
    $("new-game").onclick = () => this.#askNewGame();
    this.connection("connecting");
  }

  // ---- the line -------------------------------------------------------------------------------------------

  /** line: open, connecting or lost, as the page's own wire is. */
  connection(line) {
    const box = $("connection"), link = this.#state?.link.up ?? null;
    box.dataset.page = line;
    box.dataset.board = line !== "open" || link === null ? "unknown" : link ? "up" : "down";
    const board = this.#state?.simulated ? "simulated board" : "board";
    setText(box, {
      unknown: line === "open" ? `Looking for the ${board}` : line === "lost" ? "The program does not answer: trying again" : "Connecting",
      up: this.#state?.simulated ? "On the simulated board" : "The board is connected",
      down: `The ${board} is not connected`,
    }[box.dataset.board]);
    document.body.dataset.page = line;
    if (line !== "open" && this.#state !== null) {
      document.body.dataset.condition = "no_program";
      this.#words({
        headline: "The program does not answer",
        detail: "The page has lost the program that follows the board, and tries again by itself.",
        guide: "Whatever counted is in its journal.",
      });
      this.#actionsOf({ buttons: {} });
    }
  }

  /** Why something was not done; goes away by itself. */
  refused(text) {
    clearTimeout(this.#refusedTimer);
    $("refused").hidden = !text;
    setText($("refused"), text);
    if (text) this.#refusedTimer = setTimeout(() => this.refused(""), REFUSED_MS);
  }

  // ---- the state ------------------------------------------------------------------------------------------

  follow(state) {
    this.#state = state;
    const body = document.body;
    body.dataset.phase = state.phase;
    body.dataset.condition = state.condition;
    body.dataset.side = String(state.side);
    body.dataset.ply = String(state.ply);
    this.#words(state);
    this.#countdown(state.provisional ?? state.tilt_warning ?? state.takeback);
    const warning = state.provisional?.warning ?? "";
    $("warning").hidden = !warning;
    setText($("warning"), warning);
    this.#players(state);
    this.#trouble(state);
    this.#over(state);
    this.#record(state);
    this.#actionsOf(state);
    setText($("bearings"), state.bearings_hold);
    $("new-game").hidden = !state.buttons.new_game || state.phase === "over";
    this.connection("open");
  }

  /** held: a marble is in the virtual hand. */
  hand(held) {
    if (held === this.#held) return;
    this.#held = held;
    if (this.#state !== null) this.#actionsOf(this.#state);
  }

  tilt(angle) {
    const degrees = Math.abs(angle);
    const to = this.#state?.players[angle > 0 ? 0 : 1]?.name ?? "";
    $("beam").style.transform = `rotate(${(-2 * angle).toFixed(2)}deg)`;
    setText($("degrees"), degrees < 0.25 ? "The board is level" : `${degrees.toFixed(1)}° down to ${to}`);
  }

  #words({ headline, detail, guide }) {
    setText($("headline"), headline);
    setText($("detail"), detail);
    setText($("guide"), guide);
    document.title = headline ? `${headline} · Balanx` : "Balanx";
  }

  /** The ring runs down by itself between two states. */
  #countdown(clock) {
    const left = document.querySelector("#ring .left");
    $("ring").classList.toggle("counting", Boolean(clock));
    if (!clock) {
      this.#clock?.cancel();
      this.#clock = null;
      return;
    }
    const left_s = Math.max(0, clock.left_s - (performance.now() - this.#state.heard_ms) / 1000);
    const gone = 1 - left_s / Math.max(clock.total_s, left_s, 0.05);
    this.#clock?.cancel();
    this.#clock = left.animate([{ strokeDashoffset: 100 * gone }, { strokeDashoffset: 100 }], {
      duration: left_s * 1000,
      fill: "forwards",
    });
  }

  #players(state) {
    const box = $("players");
    box.replaceChildren(...state.players.map((player) => {
      const home = state.layout.finishes[player.seat].filter((space) => state.placement[space] === player.seat).length;
      const turn = state.phase !== "over" && state.side === player.seat;
      return html("div", { className: `player seat-${player.seat}${turn ? " turn" : ""}`, "data-player": String(player.seat) },
        html("span", { className: "dot", "aria-hidden": "true" }),
        html("strong", {}, player.name), html("span", { className: "who" }, player.title),
        html("span", { className: "home", title: "marbles in the finish corner" }, `${home} of ${state.layout.finishes[player.seat].length} home`));
    }));
  }

  #trouble(state) {
    const lines = [];
    if (state.unsaved > 0) lines.push(["unsaved", `Not saved: ${state.unsaved === 1 ? "the last turn is" : `the last ${state.unsaved} turns are`} not on disk yet.`]);
    for (const fault of state.faults) lines.push([fault.kind, fault.say]);
    for (const sensor of state.bad_sensors) lines.push(["sensor", `${sensor.say} The game goes on without it.`]);
    $("trouble").replaceChildren(...lines.map(([kind, say]) => html("li", { "data-fault": kind }, say)));
  }

  #over(state) {
    const over = $("over");
    over.hidden = state.outcome === null;
    if (state.outcome === null) {
      delete over.dataset.outcome;
      delete document.body.dataset.outcome;
      return;
    }
    over.dataset.outcome = state.outcome.result;
    over.dataset.winner = state.outcome.winner === null ? "" : String(state.outcome.winner);
    setText($("over-headline"), state.outcome.headline);
    setText($("over-detail"), state.outcome.detail);
    setText($("over-result"), `${state.moves.length} turns · ${state.outcome.result}`);
  }

  #record(state) {
    const text = state.moves.map(({ number, seat, move }) => `${number}${seat}${move}`).join();
    if (text === this.#moves) return;
    this.#moves = text;
    const list = $("moves");
    list.replaceChildren(...state.moves.map(({ ply, number, seat, move }, index) => {
      const item = html("li", { className: `seat-${seat}`, "data-ply": String(ply), "data-seat": String(seat), "data-move": move }, move);
      if (seat === 0 || index === 0) item.dataset.number = `${number}.`;
      return item;
    }));
    $("no-moves").hidden = state.moves.length > 0;
    list.scrollTop = list.scrollHeight;
  }

  // ---- buttons --------------------------------------------------------------------------------------------

  #actionsOf(state) {
    const wanted = this.#wanted(state);
    const text = JSON.stringify(wanted.map(([label, action, values]) => [label, action, values]));
    if (text === this.#actions) return; // a button is not replaced under the finger
    this.#actions = text;
    $("actions").replaceChildren(...wanted.map(([label, action, values, sure, main]) => html("button", {
      type: "button",
      className: main ? "main" : "",
      onclick: () => (sure ? this.#sure(sure, action, values) : action === "new_game" ? this.#askNewGame() : this.#ask(action, values)),
      "data-action": action,
    }, label)));
  }

  /** [label, action, values, question before it is done, whether it is the first thing to do] */
  #wanted({ buttons, players, phase, condition }) {
    const wanted = [];
    const name = (seat) => players[seat].name;
    for (const move of buttons.confirm ?? []) wanted.push([`It was ${move}`, "confirm", { move }, null, true]);
    if (buttons.take_back_instead) wanted.push(["Take back instead", "take_back_instead", {}, null, true]);
    for (const seat of buttons.push ?? []) wanted.push([`Push ${name(seat)}'s side down`, "push", { seat }, null, true]);
    if (this.#held) wanted.push(["Put it back", "put_back", {}, null, true]);
    else for (const space of buttons.marble_is_there ?? []) wanted.push([`A marble does lie on ${space}`, "marble_is_there", { space }]);
    if (buttons.board_is_right) wanted.push(["The board is right", "board_is_right", {}]);
    if (phase === "over" && buttons.new_game) wanted.push(["New game", "new_game", {}, null, true]);
    if (condition === "no_program") return wanted;
    if (buttons.agree_draw) wanted.push(["Draw", "agree_draw", {}, ["Do both players agree to a draw?", "The game ends at once."]]);
    for (const seat of buttons.resign ?? []) {
      const label = buttons.resign.length > 1 ? `${name(seat)} resigns` : "Resign";
      wanted.push([label, "resign", { seat }, [`Does ${name(seat)} resign?`, "The game ends at once, and the other side wins."]]);
    }
    return wanted;
  }

  #sure([title, note], action, values) {
    setText($("sure-title"), title);
    setText($("sure-note"), note);
    open($("sure-dialog"), () => this.#ask(action, values));
  }

  #askNewGame() {
    const { choices, players, phase } = this.#state;
    ["choose-white", "choose-black"].forEach((id, seat) => {
      $(id).replaceChildren(...choices.map(({ value, label }) => html("option", { value, selected: label === players[seat].title }, label)));
    });
    $("new-game-note").hidden = phase === "over" || phase === "setting_up";
    open($("new-game-dialog"), () => this.#ask("new_game", { white: $("choose-white").value, black: $("choose-black").value }));
  }
}

function open(dialog, yes) {
  dialog.returnValue = "";
  dialog.onclose = () => dialog.returnValue === "yes" && yes();
  dialog.showModal();
}

/** Screen readers speak when a text changes, so only a change is written. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
