package cuda

/*
#include "decoders.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// codecs are the driver's numbers of those that libav decodes on GPUs.
var codecs = []struct {
	name   string
	number C.int
}{{"MPEG-2", 1}, {"H.264", 4}, {"HEVC", 8}, {"VP8", 9}, {"VP9", 10}, {"AV1", 11}}

// formats are the driver's numbers of chroma formats, with the bits of a sample.
var formats = []struct {
	name         string
	chroma, bits C.int
}{{"4:2:0 8 bit", 1, 8}, {"4:2:0 10 bit", 1, 10}, {"4:2:2 8 bit", 2, 8}, {"4:4:4 8 bit", 3, 8}}

// Decoder is what the GPU's decoder units do with one codec in one format. Sizes are
// in pixels.
type Decoder struct {
	Codec, Format           string
	Supported               bool
	Units                   int
	LeastWidth, LeastHeight int
	MostWidth, MostHeight   int
	// Problem is why the driver did not answer, "" where it did.
	Problem string
}

// String is for reports.
func (d Decoder) String() string {
	if !d.Supported {
		return strings.TrimSpace("not decoded " + d.Problem)
	}
	return fmt.Sprintf("%d×%d to %d×%d by %d decoder units", d.LeastWidth, d.LeastHeight, d.MostWidth, d.MostHeight,
		d.Units)
}

// Decoders asks the GPU's driver for every codec in every format.
func (d *Device) Decoders() []Decoder {
	var out []Decoder
	for _, codec := range codecs {
		for _, format := range formats {
			asked := C.struct_tutti_decoder{codec: codec.number, chroma: format.chroma, bits: format.bits}
			err := d.call(func(context unsafe.Pointer) C.struct_tutti_result {
				return C.tutti_decoder(d.driver, context, &asked)
			})
			problem := ""
			if err != nil {
				problem = err.Error()
			}
			out = append(out, Decoder{
				Problem: problem,
				Codec:   codec.name, Format: format.name, Supported: asked.supported != 0, Units: int(asked.units),
				LeastWidth: int(asked.least_width), LeastHeight: int(asked.least_height),
				MostWidth: int(asked.most_width), MostHeight: int(asked.most_height),
			})
		}
	}
	return out
}
