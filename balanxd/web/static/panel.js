// The panel: what is going on in words, the countdown, the moves, and the buttons that fit now.

import { won } from "./banks.js";
import { Menu } from "./menu.js";
import { askNewGame } from "./newgame.js";
import { html, openDialog } from "./shapes.js";

const $ = (id) => document.getElementById(id);
const REFUSED_MS = 6000;

export class Panel {
  #ask;
  #state = null;
  #held = null; // { held, deeds }
  #refusedTimer = 0;
  #clock = null;
  #moves = "";
  #shown = new Map();
  #menu;

  /** ask(action, values); turn(): the picture is to be turned. */
  constructor({ ask, turn }) {
    this.#ask = ask;
    this.#menu = new Menu(ask);
    $("turn-board").onclick = turn;
    new ResizeObserver(() => ($("moves").scrollTop = $("moves").scrollHeight)).observe($("moves"));
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
      unknown: line === "open" ? `Looking for the ${board}` : line === "lost" ? "No answer: trying again" : "Connecting",
      up: this.#state?.simulated ? "Simulated board" : "Board connected",
      down: this.#state?.simulated ? "Simulated board not connected" : "Board not connected",
    }[box.dataset.board]);
    document.body.dataset.page = line;
    if (line !== "open" && this.#state !== null) {
      document.body.dataset.condition = "no_program";
      this.#words({
        headline: "The program does not answer",
        detail: "The page has lost the program that follows the board, and tries again by itself.",
        guide: "Whatever counted is in its journal.",
      });
      this.#actions({});
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
    body.dataset.game = state.game;
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
    this.#actions(state.buttons);
    this.#menu.follow(state);
    setText($("bearings"), state.bearings_hold);
    this.#selftest(state.selftest);
    this.connection("open");
  }

  /** The board's last self-test, where one was kept. */
  #selftest(last) {
    const link = $("selftest");
    link.hidden = !last;
    if (!last) return;
    link.title = `Self-test of ${last.date}`;
    setText(link, last.findings ? `Self-test: ${last.findings} found` : "Self-test: well");
  }

  /** held: something is in the virtual hand. deeds: what may be done with it: [{ label, key, action, press }] */
  hand(held, deeds = []) {
    this.#held = { held, deeds };
    if (this.#state !== null) this.#actions(this.#state.buttons);
  }

  /** Degrees, positive: White's side is down. measured: it is the angle itself, and not only the side that is known. */
  tilt(angle, measured) {
    const degrees = Math.abs(angle);
    const to = this.#state?.players[angle > 0 ? 0 : 1]?.name ?? "";
    $("beam").style.transform = `rotate(${(-2 * angle).toFixed(2)}deg)`;
    if (measured) setText($("degrees"), degrees < 0.25 ? "The board is level" : `${degrees.toFixed(1)}° down to ${to}`);
    else setText($("degrees"), degrees ? `Down on ${to}'s side` : "It is not known which side is down");
  }

  #words({ headline, detail, guide }) {
    setText($("headline"), headline);
    setText($("detail"), detail);
    setText($("guide"), guide);
    const title = this.#state?.title ?? "Balanx";
    document.title = headline ? `${headline} · ${title}` : title;
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
    const speed = this.#state.speed ?? 1; // of the board's clock, which a simulator may let run faster
    const left_s = Math.max(0, clock.left_s / speed - (performance.now() - this.#state.heard_ms) / 1000);
    const gone = 1 - left_s / Math.max(clock.total_s / speed, left_s, 0.05);
    this.#clock?.cancel();
    this.#clock = left.animate([{ strokeDashoffset: 100 * gone }, { strokeDashoffset: 100 }], {
      duration: left_s * 1000,
      fill: "forwards",
    });
  }

  #players(state) {
    const { finishes } = state.layout;
    $("players").replaceChildren(...state.players.map(({ seat, name, title }) => {
      const turn = state.phase !== "over" && state.side === seat;
      const home = finishes?.[seat].filter((space) => state.placement[space] === seat).length;
      return html("div", { className: `player seat-${seat}${turn ? " turn" : ""}`, "data-player": String(seat) },
        html("span", { className: "dot", "aria-hidden": "true" }),
        html("strong", {}, name), html("span", { className: "who" }, title),
        finishes ? html("span", { className: "home", title: "marbles in the finish corner" }, `${home}/${finishes[seat].length} home`)
          : html("span", { className: "home score", title: "score" }, String(state.scores[seat])),
        ...(state.game === "banks" ? [won(state.beside[seat], state.layout)] : []));
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
    const over = $("over"), outcome = state.outcome;
    over.hidden = outcome === null;
    if (outcome === null) {
      delete over.dataset.outcome;
      delete document.body.dataset.winner;
      return;
    }
    over.dataset.outcome = outcome.result;
    document.body.dataset.winner = outcome.winner === null ? "none" : String(outcome.winner);
    setText(over, `${state.moves.length === 1 ? "1 turn" : `${state.moves.length} turns`} · ${outcome.result}`);
  }

  #record(state) {
    const text = state.moves.map(({ number, seat, move }) => `${number}${seat}${move}`).join();
    if (text === this.#moves) return;
    this.#moves = text;
    const list = $("moves");
    list.replaceChildren(...state.moves.map(({ ply, number, seat, move }, index) => {
      const item = html("li", { className: `seat-${seat}`, "data-ply": String(ply), "data-seat": String(seat), "data-move": move }, move);
      if (number !== state.moves[index - 1]?.number) item.dataset.number = `${number}.`;
      return item;
    }));
    $("no-moves").hidden = state.moves.length > 0;
    list.hidden = state.moves.length === 0;
    list.scrollTop = list.scrollHeight;
  }

  // ---- buttons --------------------------------------------------------------------------------------------

  /** Show the buttons that fit: what the situation asks for beside the words, the rest at the foot. */
  #actions(buttons) {
    this.#fill($("actions"), this.#urgent(buttons));
    this.#fill($("tools"), this.#usual(buttons));
  }

  /** wanted: [{ label, key, action, values, main, press }]; key: the one that does the same. */
  #fill(box, wanted) {
    const text = JSON.stringify(wanted);
    if (text === this.#shown.get(box)) return; // a button is not replaced under the finger
    this.#shown.set(box, text);
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.action : "";
    box.replaceChildren(...wanted.map(({ label, key, action, values = {}, main = false, press = () => this.#ask(action, values) }) =>
      html("button", { type: "button", className: main ? "main" : "", onclick: press, "data-action": action }, label, ...(key ? [html("kbd", {}, key)] : []))));
    // Whoever works by keys goes on from where they were, or at the board.
    if (focused) (box.querySelector(`[data-action="${focused}"]`) ?? $("board")).focus({ preventScroll: true });
  }

  #newGame = () => askNewGame(this.#state, (wanted) => this.#ask("new_game", wanted));

  #urgent(buttons) {
    const wanted = [];
    if (buttons.go_on) wanted.push({ label: "Go on", action: "go_on", main: true });
    for (const move of buttons.confirm ?? []) wanted.push({ label: `It was ${move}`, action: "confirm", values: { move }, main: true });
    if (buttons.take_back_instead) wanted.push({ label: "Take back instead", action: "take_back_instead", main: true });
    for (const seat of buttons.push ?? []) wanted.push({ label: `Push ${this.#name(seat)}'s side down`, action: "push", values: { seat }, main: true });
    if (this.#held?.held && this.#state.simulated) wanted.push({ label: "Put it back", action: "put_back", main: true }, ...this.#held.deeds);
    else for (const space of buttons.marble_is_there ?? []) wanted.push({ label: `There is a ${this.#state.piece} on ${space}`, action: "marble_is_there", values: { space } });
    if (buttons.board_is_right) wanted.push({ label: "The board is right", action: "board_is_right" });
    if (buttons.new_game && this.#state.phase === "over") {
      wanted.push({ label: "New game", action: "new_game", main: true, press: this.#newGame });
    }
    return wanted;
  }

  #usual(buttons) {
    const wanted = [], { simulated, board_buttons: there } = this.#state ?? {};
    if (buttons.stop && !(simulated && there.includes("stop"))) wanted.push({ label: "Stop", action: "stop" });
    if (buttons.take_back) {
      const press = () => this.#ask("take_back", { left: this.#state.moves.length - this.#state.buttons.take_back });
      wanted.push({ label: "Take back", action: "take_back", press });
    }
    if (buttons.agree_draw) {
      const press = () => this.#sure("Do both players agree to a draw?", "The game ends at once.", [["Yes, a draw", () => this.#ask("agree_draw")]]);
      wanted.push({ label: "Draw", action: "agree_draw", press });
    }
    if (buttons.resign) {
      const answers = buttons.resign.map((seat) => [`${this.#name(seat)} resigns`, () => this.#ask("resign", { seat })]);
      const press = () => this.#sure("Resign?", "The game ends at once, and the other side wins.", answers);
      wanted.push({ label: "Resign", action: "resign", values: { seats: buttons.resign }, press });
    }
    if (buttons.new_game && this.#state.phase !== "over") {
      wanted.push({ label: "New game", action: "new_game", press: this.#newGame });
    }
    return wanted;
  }

  #name(seat) {
    return this.#state.players[seat].name;
  }

  /** answers: [[label, what is then done]], besides doing nothing. */
  #sure(title, note, answers) {
    setText($("sure-title"), title);
    setText($("sure-note"), note);
    const row = $("sure-row");
    row.replaceChildren(row.firstElementChild, ...answers.map(([label], index) => html("button", { className: "main", value: String(index + 1), "data-answer": String(index) }, label)));
    openDialog($("sure-dialog"), (value) => answers[Number(value) - 1][1]());
  }
}

/** Screen readers speak when a text changes, so only a change is written. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
