// Exact times in the reader's own time zone. Without this file they are in UTC.
const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});
for (const time of document.querySelectorAll("time[data-exact]")) {
  time.textContent = format.format(new Date(time.dateTime));
}
