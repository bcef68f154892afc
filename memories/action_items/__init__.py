"""Tasks as people and robots use them: listed, put down, done. What finds them is elsewhere."""
