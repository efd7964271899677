// The page's line to the program: JSON both ways over one websocket, which comes back by itself.

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 8000;
const SILENCE_MS = 13000; // the program speaks at least every 5 s

export class Wire {
  #socket = null;
  #pause_ms = FIRST_PAUSE_MS;
  #heard_ms = 0;
  #timer = 0;
  #on;

  /** on: { message(object), line("open" | "connecting" | "lost") } */
  constructor(on) {
    this.#on = on;
    setInterval(() => this.#watch(), 2000);
    addEventListener("online", () => this.#again(0));
    this.#open();
  }

  get open() {
    return this.#socket !== null && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Ask for an action. False where nobody hears it. */
  ask(action, values = {}) {
    if (!this.open) return false;
    this.#socket.send(JSON.stringify({ do: action, ...values }));
    return true;
  }

  #open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    this.#socket = socket;
    this.#heard_ms = performance.now();
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#heard_ms = performance.now();
      this.#pause_ms = FIRST_PAUSE_MS;
      this.#on.message(JSON.parse(event.data));
    };
    socket.onopen = () => socket === this.#socket && this.#on.line("open");
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  #lost() {
    this.#socket = null;
    this.#on.line("lost");
    this.#again(this.#pause_ms * (0.75 + Math.random() / 2));
    this.#pause_ms = Math.min(this.#pause_ms * 2, LONGEST_PAUSE_MS);
  }

  #again(after_ms) {
    if (this.#socket !== null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket === null && this.#open(), after_ms);
  }

  #watch() {
    const socket = this.#socket;
    if (socket === null || performance.now() - this.#heard_ms < SILENCE_MS) return;
    this.#socket = null; // a line that says nothing is dead, whatever the browser believes
    socket.close();
    this.#lost();
  }
}
