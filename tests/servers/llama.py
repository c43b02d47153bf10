"""A real llama.cpp server on 127.0.0.1, over a tiny model of random weights that is made here or over any other."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gguf
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

CONTEXT_TOKENS = 256
"""Tokens of one request; every byte of a prompt is a token to this model."""

_WIDTH, _INNER, _HEADS, _BLOCKS = 64, 128, 4, 1
_SPECIAL = ("<unk>", "<s>", "</s>")
_WORDS = ("▁", "YES", "NO", "▁YES", "▁NO", "Yes", "No", "▁Yes", "▁No", "JA", "NEIN")
_TOKENS = (*_SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)), *_WORDS)
_UNKNOWN, _BEGIN, _END = range(len(_SPECIAL))
# How strongly the model leans to each word. Random weights alone would speak in random bytes.
_LEANING = {"YES": 1.0, "NO": 0.9, "Yes": 0.8, "No": 0.7}
_END_AFTER_WORD = 4.0


@dataclass(frozen=True, slots=True)
class LlamaEndpoint:
    """Where a running server listens."""

    base_url: str
    model: str


def write_model(path: Path) -> None:
    """Write a llama model of a third of a megabyte that answers YES, about as willingly as NO."""
    writer = gguf.GGUFWriter(path, "llama")
    _write_shape(writer)
    _write_vocabulary(writer)
    for name, weights in _weights().items():
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def running_llama(model: Path, name: str = "tiny", context: int = CONTEXT_TOKENS) -> Iterator[LlamaEndpoint]:
    """Serve a model from a process of its own, which a test may lose without losing itself."""
    command = [sys.executable, __file__, str(model), name, str(context)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, text=True) as process:
        try:
            assert process.stdout is not None
            address: str = json.loads(process.stdout.readline())
            yield LlamaEndpoint(f"{address}/v1", name)
        finally:
            process.kill()


def _write_shape(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_BLOCKS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(_TOKENS))


def _write_vocabulary(writer: gguf.GGUFWriter) -> None:
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256 + [gguf.TokenType.NORMAL] * len(_WORDS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(list(_TOKENS))
    writer.add_token_scores([0.0] * (len(_TOKENS) - len(_WORDS)) + [-1.0 - n for n in range(len(_WORDS))])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(_UNKNOWN)
    writer.add_bos_token_id(_BEGIN)
    writer.add_eos_token_id(_END)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}\n{% endfor %}")


def _weights() -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(seed=7)

    def some(*shape: int) -> NDArray[np.float32]:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    embedding, output = some(len(_TOKENS), _WIDTH), some(len(_TOKENS), _WIDTH)
    # Dimension 0 says "not answered yet" and leads to a word, dimension 1 "answered" and leads to the end.
    embedding[:, 0] = 1.0
    for word, leaning in _LEANING.items():
        token = _TOKENS.index(word)
        embedding[token, 0], embedding[token, 1] = 0.0, 1.0
        output[token, 0] = leaning
    output[_END, 1] = _END_AFTER_WORD
    ones = np.ones(_WIDTH, dtype=np.float32)
    weights = {"token_embd.weight": embedding, "output.weight": output, "output_norm.weight": ones}
    for block in (f"blk.{number}" for number in range(_BLOCKS)):
        weights |= {f"{block}.{norm}.weight": ones for norm in ("attn_norm", "ffn_norm")}
        weights |= {f"{block}.attn_{part}.weight": some(_WIDTH, _WIDTH) for part in ("q", "k", "v", "output")}
        weights |= {f"{block}.ffn_{part}.weight": some(_INNER, _WIDTH) for part in ("gate", "up")}
        weights[f"{block}.ffn_down.weight"] = some(_WIDTH, _INNER)
    return weights


def _serve(model: str, name: str, context: str) -> None:
    """Serve until killed or left alone; the address goes to stdout as soon as the server is ready."""
    import xllamacpp  # type: ignore[import-untyped]  # noqa: PLC0415 - only the serving process loads it

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.n_parallel = 2
    params.n_ctx = int(context) * params.n_parallel
    # Each connection that a client keeps open holds one of these threads.
    params.n_threads_http = 16
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(json.dumps(server.listening_address) + "\n")
    sys.stdout.flush()
    # Ends with the process that started this one, however that ends.
    sys.stdin.read()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
