export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.copy;
  button.onclick = () => copyLink(button, data);
}
