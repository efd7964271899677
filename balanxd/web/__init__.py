"""The page: a web server's application, what a browser may ask, and the files it is sent."""
