"""The wire between board and host: messages declared once, codec, link, reconnect, transports."""
