// Numbers as an instrument shows them: fixed width, three digits, SI prefixes.

export function si(value: number, unit: string): string {
  if (!Number.isFinite(value)) return `– ${unit}`;
  const size = Math.abs(value);
  if (size === 0) return `0 ${unit}`;
  const prefixes: [number, string][] = [
    [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"],
  ];
  const [scale, prefix] = prefixes.find(([limit]) => size >= 0.9995 * limit) ?? [1e-12, "p"];
  return `${significant(value / scale)} ${prefix}${unit}`;
}

export function significant(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function superscript(exponent: number): string {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (d) => SUPERSCRIPTS[Number(d)]);
  return (exponent < 0 ? "⁻" : "") + digits;
}

// 3.2×10⁻⁹
export function scientific(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const [digits, exponent] = value.toExponential(1).split("e");
  return `${digits}×10${superscript(Number(exponent))}`;
}

export function vector(x: number, y: number, z: number, decimals = 3): string {
  const least = 0.5 * Math.pow(10, -decimals); // no minus before a zero
  return [x, y, z].map((v) => (v <= -least ? "−" : " ") + Math.abs(v).toFixed(decimals)).join("  ");
}
