// Balanx, the page. Start here: messages come from the wire, go to board, marbles, panel and hand, and wishes go back.
//
// Messages (balanxd/web/app.py): {t: "state", ...} the whole of what is known, {t: "table", marbles, angle} the simulated
// table, {t: "refused", say}, with pair: true where the board's code is asked for (pair.js). The page asks with {do: "lift", space: "e4"} and so on (balanxd/web/actions.py).
// The page never moves a marble by itself.
//
// What tests and tools may hold on to:
//   body              data-game (balanx, banks, boxilies, fourhigh), data-phase (setting_up, aligning, open, over), data-condition (turn, thinking, announced, in_hand,
//                     provisional, takeback, out_of_step, question, looking, settling, tilt_warning, tilting, tilt_wanted,
//                     tilt_stopped, stopped, parked, set_up, starting, no_board, no_program, connecting, over), data-side, data-ply,
//                     data-page (open, connecting, lost)
//   #headline #detail #guide #warning #refused     words
//   #connection       data-page as above, data-board (up, down, unknown)
//   #board            the board; takes pointer and keys. data-low (above, below or empty): the edge that is down
//   [data-space=e4]   a space; its box is where it is seen. data-marks: target, lifted, missing, extra, wrong, bad, last
//   [data-marble=ID]  a marble: data-seat, data-at (the space where it lies, empty on its way), data-hand ("1" when held)
//   [data-arrow]      an arrow: data-from, data-to; announced, back or provisional
//   #moves li         one turn each: data-ply, data-seat, data-move
//   #over[data-outcome]  the result when the game is over, as 1-0 home; body has data-winner (0, 1 or none)
//   #actions, #tools  button[data-action=resign] and so on, only while they fit; #turn-board
//   dialogs           #new-game-dialog (#choose-game, select[data-tag=Board], select[data-seat="0"], #new-game-yes), #sure-dialog (button[data-answer="0"]),
//                     #pair-dialog (#pair-code, #pair-yes, #pair-note) on other devices
//   #menu             the menu that buttons or taps at the board opened: data-number, data-sure; hidden when it is closed
//   #board-buttons    button[data-press=next|yes|stop]: those of a simulated board
//   #trouble li[data-fault]       unsaved, sensor, link, tilt, board, disk, supply
//   #speak            aria-pressed: whether the words are read aloud
//   #degrees #bearings            the tilt in words; who would have tipped the original board

import { Board } from "./board.js";
import { Games } from "./games.js";
import { Hand } from "./hand.js";
import { Marbles } from "./marbles.js";
import { marksOf } from "./marks.js";
import { Pairing } from "./pair.js";
import { Panel } from "./panel.js";
import { Speak } from "./speak.js";
import { Wire } from "./wire.js";

const element = document.getElementById("board");
const stage = document.getElementById("stage");

const FULL_DEG = 8; // shown where only the side that is down is known

const ABOVE = { balanx: 1, boxilies: 1, fourhigh: 0 }; // who sits at the upper edge of the picture

let hand = null; // Balanx's
let games = null; // the other games'
let board = null;
let marbles = null;
let state = null;
let table = null;
let turned = null; // chosen by a person; null: as the players sit
let drawn = "";

const ask = (action, values) => {
  if (action !== "hover") panel.refused(""); // what was refused before is no news any more
  return wire.ask(action, values);
};
const say = (text) => (document.getElementById("cursor").textContent = text);
const panel = new Panel({ ask, turn: turnPicture });
const speak = new Speak(document.getElementById("record"));
const pairing = new Pairing((action, values) => wire.ask(action, values));
const wire = new Wire({
  line: (line) => {
    panel.connection(line);
    if (line === "open") pairing.greet();
  },
  message: (message) => {
    if (message.t === "state") takeState({ ...message, heard_ms: performance.now() });
    else if (message.t === "table") takeTable(message);
    else if (message.t === "refused" && message.pair && pairing.wanted(message.say)) return;
    else if (message.t === "refused") panel.refused(message.say);
    else if (message.t === "paired") pairing.paired(message.token);
    else if (message.t === "stranger") pairing.stranger();
  },
});

function takeState(message) {
  if (state !== null && state.game !== message.game) return location.reload(); // another board altogether
  state = message;
  panel.follow(state);
  speak.follow(state);
  if (state.game !== "balanx") return follow();
  draw();
  if (!state.simulated) {
    marbles.put(state.shown);
    tilt(state.tilt.seat === null ? 0 : state.tilt.seat === 0 ? FULL_DEG : -FULL_DEG);
  }
  board.mark(marksOf(state), state.placement, state.arrows);
  hand.follow(state);
}

function takeTable(message) {
  if (state !== null && (state.game === "balanx") !== "marbles" in message) return; // another board's: see takeState
  table = message;
  games?.table(message);
  if (board === null) return; // the state comes first
  marbles.frame(message);
  panel.hand(marbles.held !== null && state.announced === null);
}

/** Whether the only person sits above, so that the picture is to be turned. */
function fromAbove() {
  const people = state.players.filter((player) => !player.machine);
  return people.length === 1 && people[0].seat === ABOVE[state.game];
}

/** Any game but Balanx. */
function follow() {
  if (games === null) {
    games = new Games(stage, element, { ask, say, changed: () => panel.hand(games.held, games.deeds) });
    if (table !== null) games.table(table);
  }
  games.follow(state, fromAbove());
}

/** Draw Balanx's board where the plan, or the side from which it is seen, is new. */
function draw() {
  const view = turned ?? fromAbove();
  const key = JSON.stringify([state.layout, view]);
  if (key === drawn) return;
  drawn = key;
  board = new Board(stage, element, state.layout, view);
  marbles = new Marbles(board, tilt);
  hand ??= new Hand(element, { ask, say, note: (text) => panel.refused(text) });
  hand.use(board, marbles);
  if (table !== null) marbles.frame(table);
}

function tilt(angle) {
  board.tilt(angle);
  panel.tilt(angle, state.simulated);
}

function turnPicture() {
  if (board === null) return;
  turned = !board.turned;
  takeState(state);
}
