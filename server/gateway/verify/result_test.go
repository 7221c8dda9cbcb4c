package verify_test

import (
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/transcoder"
)

// signed is a good result of one HEVC rendition, 25 frames of 176×98.
func signed(t testing.TB) verify.Result {
	t.Helper()
	data, err := os.ReadFile("testdata/hevc_open.ts")
	if err != nil {
		t.Fatal(err)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	preimage := signature.Result([][signature.HashSize]byte{signature.Keccak256(data)})
	sig, err := signature.EthSign(key, preimage[:])
	if err != nil {
		t.Fatal(err)
	}
	input := verify.ReadSource(data, time.Second)
	input.Size = verify.Size{} // what was transcoded is not at hand
	return verify.Result{
		Signer: core.Address(crypto.PubkeyToAddress(key.PublicKey)), Signature: sig,
		Renditions: [][]byte{data}, Pixels: []core.Pixels{25 * 176 * 98},
		Profiles: []core.Profile{{Name: "p", Width: 176, Height: 99, Encoder: core.CodecHEVC}},
		Source:   verify.Size{Width: 1280, Height: 714},
		Input:    input,
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*verify.Result)
		want   fault.Code
	}{
		"one missing":        {func(r *verify.Result) { r.Renditions = nil }, fault.RenditionCount},
		"one more":           {func(r *verify.Result) { r.Pixels = append(r.Pixels, 1) }, fault.RenditionCount},
		"another signer":     {func(r *verify.Result) { r.Signer[3]++ }, fault.ResultSignature},
		"no signature":       {func(r *verify.Result) { r.Signature = nil }, fault.ResultSignature},
		"other bytes":        {func(r *verify.Result) { r.Renditions[0][900]++ }, fault.ResultSignature},
		"a pixel more":       {func(r *verify.Result) { r.Pixels[0]++ }, fault.PixelsMismatch},
		"a frame less":       {func(r *verify.Result) { r.Pixels[0] -= 176 * 98 }, fault.PixelsMismatch},
		"smaller than asked": {func(r *verify.Result) { r.Profiles[0].Width = 182 }, fault.RenditionSize},
		"larger than asked": {func(r *verify.Result) { r.Profiles[0].Width = 160; r.Profiles[0].Height = 90 },
			fault.RenditionSize},
		"another shape": {func(r *verify.Result) { r.Source = verify.Size{Width: 640, Height: 480} },
			fault.RenditionSize},
		"frames' shape": {func(r *verify.Result) { r.Input.Size = verify.Size{Width: 640, Height: 480} },
			fault.RenditionSize},
		"false headers": {func(r *verify.Result) {
			r.Source, r.Input.Size = verify.Size{Width: 640, Height: 480}, r.Source
		}, ""},
		"mixed sizes": {func(r *verify.Result) {
			r.Source, r.Input.Mixed = verify.Size{Width: 640, Height: 480}, true
		}, ""},
		"unknown source": {func(r *verify.Result) { r.Source, r.Profiles[0].Width = verify.Size{}, 320 },
			fault.RenditionSize},
		"unknown, larger": {func(r *verify.Result) { r.Source, r.Profiles[0].Width = verify.Size{}, 160 },
			fault.RenditionSize},
		"unknown, good": {func(r *verify.Result) { r.Source = verify.Size{} }, ""},
		"turned":        {func(r *verify.Result) { r.Source = verify.Size{Width: 714, Height: 1280} }, ""},
		"good":          {func(*verify.Result) {}, ""},
	} {
		r := signed(t)
		row.change(&r)
		err := r.Check()
		if err == nil && row.want != "" || err != nil && fault.CodeOf(err) != row.want {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{nil, []byte("not media at all"), []byte("\x00\x00\x00\x10ftypisom0000")} {
		if _, err := verify.Count(b); fault.CodeOf(err) != fault.RenditionUnreadable {
			t.Errorf("%.16q: %v", b, err)
		}
	}
}

// TestSizesOfOurEngine holds the rule against the engine's for many shapes.
func TestSizesOfOurEngine(t *testing.T) {
	t.Parallel()
	for _, src := range []verify.Size{{1920, 1080}, {1280, 720}, {640, 480}, {720, 1280}, {1080, 1920}, {64, 64},
		{456, 123}, {500, 100}, {123, 456}, {321, 181}, {3840, 2160}, {200, 300}, {2560, 1080}} {
		for _, want := range []verify.Size{{256, 144}, {426, 240}, {640, 360}, {1280, 720}, {1920, 1080}, {0, 250},
			{426, 0}, {0, 40}, {100, 0}} {
			p := core.Profile{Width: want.Width, Height: want.Height}
			w, h, err := transcoder.OutputSize(src.Width, src.Height, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := verify.CheckSize(verify.Video{Frames: 1, Width: w, Height: h}, src, p); err != nil {
				t.Errorf("%v of %v: %v", want, src, err)
			}
		}
	}
}
