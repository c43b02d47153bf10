// sigma, for machines on which a frame takes long because a processor draws it.

import Sigma from "sigma";
import type { CameraState } from "sigma/types";

// In milliseconds: a frame that takes longer is slow, and a camera that stands as long has come to rest.
const SLOW = 40;
const REST = 120;

// While the camera moves, the drawn picture is moved as an image; it is drawn anew when the camera rests.
export class Calm extends Sigma {
  private begun = 0;
  private measured = 0;
  private isSlow = false;
  private resting = 0;
  private drawn: CameraState = this.getCamera().getState();

  // What a constructor would listen for, were sigma not drawing in its own already.
  watch(): this {
    this.on("beforeRender", () => (this.begun = performance.now()));
    this.on("afterRender", () => {
      this.drawn = this.getCamera().getState();
      this.getStageCanvas().style.transform = "";
      if (this.measured < 2) this.measure();
    });
    return this;
  }

  override scheduleRender(): this {
    if (!this.isSlow || !this.hasMoved()) return super.scheduleRender();
    this.shift();
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => super.scheduleRender(), REST);
    return this;
  }

  // The first frame also compiles shaders: the second says it.
  private measure(): void {
    const gl = this.getWebGLContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits until all is drawn
    this.isSlow = ++this.measured > 1 && performance.now() - this.begun > SLOW;
  }

  private hasMoved(): boolean {
    const now = this.getCamera().getState();
    return (["x", "y", "ratio", "angle"] as const).some((name) => now[name] !== this.drawn[name]);
  }

  // Two points where they are drawn and where they belong: what turns the one line into the other moves the picture.
  private shift(): void {
    const [a, b] = [{ x: 0, y: 0 }, { x: 1, y: 1 }];
    const [from, to] = [a, b].map((point) => this.framedGraphToViewport(point, { cameraState: this.drawn }));
    const [here, there] = [a, b].map((point) => this.framedGraphToViewport(point));
    const [x, y, u, v] = [to.x - from.x, to.y - from.y, there.x - here.x, there.y - here.y];
    const [cos, sin] = [(u * x + v * y) / (x * x + y * y), (v * x - u * y) / (x * x + y * y)];
    const left = here.x - cos * from.x + sin * from.y;
    const top = here.y - sin * from.x - cos * from.y;
    const { style } = this.getStageCanvas();
    style.transformOrigin = "0 0";
    style.transform = `matrix(${cos}, ${sin}, ${-sin}, ${cos}, ${left}, ${top})`;
  }
}
