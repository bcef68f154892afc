"""Tasks as people and robots use them: listed, added, changed. The rules that find them:
`knowledge_graph`."""
