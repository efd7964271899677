// Who may play from another device: asks for the code that the board shows, once, and keeps what it was given for it.

const KEPT = "balanx-token";
const LEAVE_MS = 3000; // whoever chose to watch is not asked again at once

export class Pairing {
  #ask;
  #dialog = document.getElementById("pair-dialog");
  #code = document.getElementById("pair-code");
  #note = document.getElementById("pair-note");
  #left_ms = -LEAVE_MS;

  /** ask(action, values) sends to the program. */
  constructor(ask) {
    this.#ask = ask;
    this.#dialog.addEventListener("close", () => {
      if (this.#dialog.returnValue === "") this.#left_ms = performance.now();
    });
    document.getElementById("pair-form").addEventListener("submit", (event) => {
      if (event.submitter !== null && event.submitter.value === "") return; // only watch
      event.preventDefault(); // the dialog stays until the code was right
      this.#ask("pair", { code: this.#code.value.replace(/\D/g, "") || "-" });
    });
  }

  /** The line is open: show what this browser was given before. */
  greet() {
    const token = localStorage.getItem(KEPT);
    if (token !== null) this.#ask("token", { token });
  }

  /** A command was refused for want of a code. True where that was said in the dialog. */
  wanted(say) {
    if (!this.#dialog.open && performance.now() - this.#left_ms < LEAVE_MS) return false;
    this.#note.textContent = say;
    if (!this.#dialog.open) {
      this.#dialog.returnValue = "";
      this.#code.value = "";
      this.#dialog.showModal();
    }
    this.#code.select();
    return true;
  }

  /** The code, or the token, was right. */
  paired(token) {
    if (token !== "") localStorage.setItem(KEPT, token);
    if (this.#dialog.open) this.#dialog.close("paired");
  }

  /** The token is good no more. */
  stranger() {
    localStorage.removeItem(KEPT);
  }
}
