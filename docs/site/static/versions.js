// Fill the selector of versions from versions.json beside the builds. Where there is none, or a browser reads pages as files, it keeps its one entry.
document.addEventListener("DOMContentLoaded", async () => {
  const select = document.getElementById("versions");
  if (!select) return;
  const root = new URL(select.dataset.root || "./", location.href);
  const above = new URL("../", root);
  let versions;
  try {
    versions = await (await fetch(new URL("versions.json", above))).json();
  } catch {
    return;
  }
  select.replaceChildren(...versions.map(({ version }) => new Option(version, version, false, version === select.dataset.version)));
  select.addEventListener("change", async () => {
    const page = new URL(`${select.value}/${select.dataset.page}.html`, above);
    const there = await fetch(page, { method: "HEAD" });
    location.href = there.ok ? page : new URL(`${select.value}/index.html`, above);
  });
});
