// Thousands of edges as plain lines, all in one call. sigma draws each as an instance of its own, for which a processor
// that stands in for a graphics card takes a second.

import type { RenderParams } from "sigma/types";

export interface Line {
  from: { x: number; y: number };
  to: { x: number; y: number };
  colour: string; // #rrggbb
  strong: boolean; // over the others, and thicker
}

// In a buffer: place, colour and opacity of each end.
const FLOATS = 6;
const OPACITY = 0.55;
// WebGL draws lines of one pixel: thicker ones are drawn beside themselves.
const BESIDE: [number, number][] = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]];

const VERTEX = `#version 300 es
in vec2 a_place;
in vec4 a_colour;
uniform mat3 u_matrix;
uniform vec2 u_beside;
out vec4 v_colour;
void main() {
  gl_Position = vec4((u_matrix * vec3(a_place, 1.0)).xy + u_beside, 0.0, 1.0);
  v_colour = vec4(a_colour.rgb * a_colour.a, a_colour.a);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 v_colour;
out vec4 colour;
void main() { colour = v_colour; }`;

export class Lines {
  private readonly program: WebGLProgram;
  private readonly buffer: WebGLBuffer;
  private readonly array: WebGLVertexArrayObject;
  private weak = 0;
  private strong = 0;

  constructor(private readonly gl: WebGL2RenderingContext, private readonly lines: () => Line[]) {
    this.program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(type) as WebGLShader;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    this.buffer = gl.createBuffer();
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [name, size, offset] of [["a_place", 2, 0], ["a_colour", 4, 2]] as const) {
      const place = gl.getAttribLocation(this.program, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, FLOATS * 4, offset * 4);
    }
    gl.bindVertexArray(null);
  }

  // Called by sigma when nodes or their looks have changed.
  cacheData(): void {
    const { gl } = this;
    const lines = this.lines();
    const [weak, strong] = [lines.filter((line) => !line.strong), lines.filter((line) => line.strong)];
    [this.weak, this.strong] = [weak.length, strong.length];
    const floats = new Float32Array(lines.length * 2 * FLOATS);
    [...weak, ...strong].forEach(({ from, to, colour, strong }, number) => {
      const bits = parseInt(colour.slice(1), 16);
      const rest = [(bits >> 16) / 255, ((bits >> 8) & 255) / 255, (bits & 255) / 255, strong ? 1 : OPACITY];
      floats.set([from.x, from.y, ...rest, to.x, to.y, ...rest], number * 2 * FLOATS);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.STATIC_DRAW);
  }

  render({ matrix, width, height, pixelRatio }: RenderParams): void {
    const { gl } = this;
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.array);
    gl.uniformMatrix3fv(gl.getUniformLocation(this.program, "u_matrix"), false, matrix);
    const beside = gl.getUniformLocation(this.program, "u_beside");
    gl.uniform2f(beside, 0, 0);
    if (this.weak > 0) gl.drawArrays(gl.LINES, 0, 2 * this.weak);
    for (const [x, y] of this.strong > 0 ? BESIDE : []) {
      gl.uniform2f(beside, (2 * x) / (width * pixelRatio), (2 * y) / (height * pixelRatio));
      gl.drawArrays(gl.LINES, 2 * this.weak, 2 * this.strong);
    }
    gl.bindVertexArray(null);
  }

  kill(): void {
    const { gl } = this;
    gl.deleteProgram(this.program);
    gl.deleteBuffer(this.buffer);
    gl.deleteVertexArray(this.array);
  }
}
