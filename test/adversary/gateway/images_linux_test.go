package gateway

import (
	"bytes"
	"context"
	le "encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestImagesThatTakeEverything: images to be edited are small files whose decoding takes hours or gigabytes. Each is
// refused, the gateway's memory stays as it was, and a usual image is looked at after them.
func TestImagesThatTakeEverything(t *testing.T) {
	t.Parallel()
	addr := harness.Address(t)
	g := &target{T: t, base: "http://" + addr, dir: t.TempDir()}
	g.node = harness.Start(t, binary, "-gateway", "-network", "offchain", "-orchAddr", harness.Address(t), "-httpAddr",
		addr, "-cliAddr", harness.Address(t), "-dataDir", g.dir)
	g.node.WaitHTTP(g.base + "/healthz")
	var usual bytes.Buffer
	if err := png.Encode(&usual, image.NewNRGBA(image.Rect(0, 0, 16, 16))); err != nil {
		t.Fatal(err)
	}
	before := peakMemory(t, g.node.PID())
	var wg sync.WaitGroup
	for name, file := range map[string][]byte{
		"a JPEG of many scans": manyScans(4096, 20_000), "another one": manyScans(4090, 20_000),
		"a WebP of many codes": manyCodes(65_536),
	} {
		wg.Go(func() {
			// A machine that starts no process in time says that it is busy.
			status, text := g.edit(file, usual.Bytes())
			if status != http.StatusBadRequest && status != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %s", name, status, text)
			}
		})
	}
	wg.Wait()
	if grown := peakMemory(t, g.node.PID()) - before; grown > 1<<30 {
		t.Errorf("the gateway took %d MB", grown>>20)
	}
	// What can be decoded goes to orchestrators, of which there is none.
	if status, text := g.edit(usual.Bytes(), usual.Bytes()); status != http.StatusServiceUnavailable &&
		status != http.StatusNotFound {
		t.Errorf("a usual image: %d %s", status, text)
	}
}

// edit asks for an edit of an image with a mask.
func (g *target) edit(file, mask []byte) (int, string) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("prompt", "a dog")
	for name, data := range map[string][]byte{"image": file, "mask": mask} {
		if part, err := form.CreateFormFile(name, name); err == nil {
			_, _ = part.Write(data)
		}
	}
	_ = form.Close()
	ctx, cancel := context.WithTimeout(g.Context(), 3*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+"/v1/images/edits", &b)
	if err != nil {
		return 0, err.Error()
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return resp.StatusCode, fmt.Sprint(string(text), err)
}

// peakMemory is the most memory that a process had, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	n, err := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	if err != nil || n == 0 {
		t.Fatal("no VmHWM")
	}
	return n << 10
}

// manyScans is a progressive JPEG with sides of that many pixels. Each scan goes over all of them and has 34 bytes.
func manyScans(side, scans int) []byte {
	out := append([]byte("\xff\xd8\xff\xdb\x00\x43\x00"), bytes.Repeat([]byte{1}, 64)...)
	out = append(out, 0xff, 0xc2, 0, 11, 8, byte(side>>8), byte(side), byte(side>>8), byte(side), 1, 1, 0x11, 0)
	// A table of one code, of one bit: so many blocks without anything follow.
	out = append(out, 0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0)
	scan := []byte{0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0x10}
	var w bitWriter
	blocks := ((side + 7) / 8) * ((side + 7) / 8)
	for ; blocks > 0; blocks -= 1<<14 + 1<<14 - 1 {
		w.put(0, 1)
		w.put(1<<14-1, 14)
	}
	for _, b := range w.b {
		b = byte(reversed(uint32(b), 8)) // the first bit of a byte is its highest
		if scan = append(scan, b); b == 0xff {
			scan = append(scan, 0)
		}
	}
	out = append(out, bytes.Repeat(scan, scans)...)
	return append(out, 0xff, 0xd9)
}

func reversed(v uint32, n int) (r uint32) {
	for i := range n {
		r |= v >> i & 1 << (n - 1 - i)
	}
	return r
}

// bitWriter writes numbers, their lowest bit first.
type bitWriter struct {
	b []byte
	n int
}

func (w *bitWriter) put(v uint32, n int) {
	for i := range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// one writes a code of a single symbol.
func (w *bitWriter) one(symbol uint32) { w.put(0b101, 3); w.put(symbol, 8) }

// many writes a code of symbols that all have the same length. at is where the length is in WebP's order of lengths.
func (w *bitWriter) many(at int, symbols uint32) {
	w.put(0, 1)
	w.put(uint32(at-3), 4)
	for range at {
		w.put(0, 3)
	}
	w.put(1, 3)
	w.put(1, 1)
	w.put(5, 3)
	w.put(symbols-2, 12)
}

// manyCodes is a WebP of 4 by 4 pixels with so many groups of codes, of which it uses the last: 50 KB of memory each.
func manyCodes(groups uint32) []byte {
	var w bitWriter
	for _, v := range [][2]uint32{{0x2f, 8}, {3, 14}, {3, 14}, {0, 4}, {0, 1}, {1, 1}, {11, 4}, {1, 1}, {0, 3}, {0, 1}} {
		w.put(v[0], int(v[1]))
	}
	w.one((groups - 1) & 255)
	w.one((groups - 1) >> 8)
	for range 3 {
		w.one(0)
	}
	for range groups {
		w.many(14, 2048) // codes of 11 bits
		for range 3 {
			w.many(11, 256) // codes of 8 bits
		}
		w.one(0)
	}
	data := append(w.b, make([]byte, 400+len(w.b)%2)...)
	out := le.LittleEndian.AppendUint32([]byte("RIFF"), uint32(12+len(data)))
	out = le.LittleEndian.AppendUint32(append(out, "WEBPVP8L"...), uint32(len(data)))
	return append(out, data...)
}
