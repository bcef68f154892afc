// The sentences of the scripts in the language of the page: <body data-words>, empty for English.
const words = JSON.parse(document.body.dataset.words || "{}");

// values take the place of {name} in the sentence.
export function say(sentence, values = {}) {
  return (words[sentence] ?? sentence).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
