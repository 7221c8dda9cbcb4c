package transcoder_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

func TestOutputSize(t *testing.T) {
	t.Parallel()
	tests := []struct{ srcW, srcH, reqW, reqH, w, h int }{
		{150, 200, 0, 250, 188, 250},
		{200, 300, 0, 427, 284, 426},
		{200, 300, 426, 0, 284, 426},
		{123, 456, 0, 426, 146, 542},
		{200, 300, 0, 428, 286, 428},
		{400, 456, 0, 40, 146, 166},
		{456, 123, 426, 0, 426, 114},
		{456, 123, 0, 301, 300, 80},
		{456, 400, 100, 0, 146, 128},
		{500, 100, 0, 200, 250, 50},
		{456, 120, 0, 400, 400, 106},
		{123, 123, 426, 0, 426, 426},
		{1920, 1080, 0, 123, 146, 82},
		{1920, 1080, 1280, 720, 1280, 720},
		{1080, 1920, 1280, 720, 720, 1280},
		{100, 56, 256, 144, 256, 144},
		{56, 100, 256, 144, 146, 260},
		{1920, 1080, 9000, 0, 4096, 2304},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%dx%d_as_%dx%d", tt.srcW, tt.srcH, tt.reqW, tt.reqH), func(t *testing.T) {
			t.Parallel()
			w, h, err := transcoder.OutputSize(tt.srcW, tt.srcH, core.Profile{Width: tt.reqW, Height: tt.reqH})
			if err != nil {
				t.Fatal(err)
			}
			if w != tt.w || h != tt.h {
				t.Errorf("got %dx%d, want %dx%d", w, h, tt.w, tt.h)
			}
		})
	}
}

func TestOutputSizeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		srcW, srcH int
		codec      core.VideoCodec
		code       fault.Code
	}{
		{"no source size", 0, 0, core.CodecH264, fault.InvalidData},
		{"a line of pixels", 10000, 2, core.CodecH264, fault.InvalidArgument},
		{"codec without encoders", 1920, 1080, core.CodecVP9, fault.EncoderNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := transcoder.OutputSize(tt.srcW, tt.srcH, core.Profile{Width: 640, Height: 360, Encoder: tt.codec})
			if !errors.Is(err, tt.code) {
				t.Errorf("got %v, want %s", err, tt.code)
			}
		})
	}
}

// Whatever the source, an output is even, not below the codec's minimum, and of
// the source's orientation.
func TestOutputSizeShape(t *testing.T) {
	t.Parallel()
	for w := 2; w < 2000; w += 37 {
		for h := 2; h < 2000; h += 41 {
			ow, oh, err := transcoder.OutputSize(w, h, core.Profile{Width: 640, Height: 360})
			if errors.Is(err, fault.InvalidArgument) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if ow%2 != 0 || oh%2 != 0 || ow < 146 || oh < 50 {
				t.Fatalf("%dx%d gives %dx%d", w, h, ow, oh)
			}
			if float64(w)/float64(h) > 3 && ow < oh || float64(h)/float64(w) > 3 && oh < ow {
				t.Fatalf("%dx%d gives %dx%d: orientation changed", w, h, ow, oh)
			}
		}
	}
}
