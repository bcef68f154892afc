// The three choices a browser remembers, as cookies, so that the server draws the page right at once.
const YEAR = 60 * 60 * 24 * 365;

export function read(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

export function write(name, value) {
  const age = value ? YEAR : 0;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}
