// The digest in the browser's time zone. Without this file it begins in UTC, and the form
// chooses another.

const form = document.querySelector("form[data-guess]");
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (form && timeZone && timeZone !== form.elements.tz.value) {
  const address = new URL(location);
  address.searchParams.set("tz", timeZone);
  // A browser may have a zone that the site does not know. Then the page stays in UTC.
  const { ok } = await fetch(address, { method: "HEAD" }).catch(() => ({ ok: false }));
  if (ok) location.replace(address);
}
