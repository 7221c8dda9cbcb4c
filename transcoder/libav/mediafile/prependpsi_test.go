package mediafile

import (
	"bytes"
	"slices"
	"testing"
)

func TestPrependPSI(t *testing.T) {
	t.Parallel()
	good := read(t, "testdata/good.ts")
	var tables, media [][]byte
	for packet := range slices.Chunk(good, packetSize) {
		switch p := parsePacket(packet, 0); {
		case p.pid == 0 || p.pid == 0x1000:
			tables = append(tables, packet)
		case p.pid != 0x11:
			media = append(media, packet)
		}
	}
	tables = tables[:2] // a PAT and a PMT
	for name, row := range map[string]struct {
		packets [][]byte
		mended  bool
	}{
		"first":         {slices.Concat(tables, media), false},
		"last":          {slices.Concat(media, tables), true},
		"in the middle": {slices.Concat(media[:5], tables, media[5:]), true},
		"map last":      {slices.Concat(tables[:1], media, tables[1:]), true},
		"none":          {media, false},
		"no map":        {slices.Concat(media, tables[:1]), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := bytes.Join(row.packets, nil)
			want := data
			if row.mended {
				want = append(bytes.Join(tables, nil), data...)
			}
			if got := PrependPSI(data); !bytes.Equal(got, want) {
				t.Errorf("%d bytes from %d", len(got), len(data))
			}
		})
	}
}

// Whatever comes in, nothing panics, and the segment itself stays as it is.
func FuzzPrependPSI(f *testing.F) {
	f.Add(read(f, "testdata/good.ts"))
	f.Add([]byte{syncByte})
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		out := PrependPSI(data)
		if !bytes.Equal(data, before) || !bytes.HasSuffix(out, data) {
			t.Fatal("the input was changed")
		}
		if len(out)-len(data) > (1+maxPMTPackets)*packetSize {
			t.Fatalf("%d bytes were added", len(out)-len(data))
		}
		if again := PrependPSI(out); !bytes.Equal(again, out) {
			t.Fatal("a repaired segment needs repair")
		}
	})
}
