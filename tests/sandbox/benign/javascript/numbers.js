// BigInt, floats, dates in UTC, typed arrays.
let factorial = 1n;
for (let n = 2n; n <= 50n; n++) factorial *= n;
console.log(factorial, BigInt.asUintN(64, -1n), (2n ** 64n).toString(16), -7n / 2n, -7n % 2n);
console.log(0.1 + 0.2, 1e21, 1e-7, -0, [-0], 5 / 0, (0.000001234).toFixed(8), (255).toString(2), Number("0x1F"));
console.log(Number.MAX_SAFE_INTEGER + 2, parseInt("08"), Math.max(), Math.round(-0.5), Math.hypot(3, 4), 2 ** 0.5);
console.log((1234567.891).toLocaleString("en-US"), new Intl.NumberFormat("de-DE").format(1234567.891));
const day = new Date(Date.UTC(2024, 1, 29, 23, 30));
console.log(day.toISOString(), day.getHours(), day.getTimezoneOffset(), new Date(2024, 0, 31).toString());
console.log(new Date("2021-03-03T14:05:09+05:30").toUTCString(), Intl.DateTimeFormat().resolvedOptions().timeZone);
console.log(new Uint8Array([256, -1, 1.9]), new Float32Array([0.1])[0], new DataView(new ArrayBuffer(8)).getFloat64(0));
