"""Sound of the board: game events and the page's words in; tunes for a buzzer and sentences for a voice out."""
