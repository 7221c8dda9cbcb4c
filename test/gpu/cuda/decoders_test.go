package cuda_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/gpu/cuda"
)

// decodersArg makes the test program write what the GPU decodes.
const decodersArg = "list-decoders"

// listDecoders writes them as JSON.
func listDecoders() error {
	d, err := cuda.Open(0)
	if err != nil {
		return err
	}
	defer d.Close()
	return json.NewEncoder(os.Stdout).Encode(d.Decoders())
}

// TestCardDecoders asks the driver what the GPU's decoder units can do.
func TestCardDecoders(t *testing.T) {
	c := card.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], decodersArg)
	cmd.Env = append(append(os.Environ(), c.Env()...), "CUDA_DEVICE_ORDER=PCI_BUS_ID")
	if c.UUID != "" {
		cmd.Env = append(cmd.Env, "CUDA_VISIBLE_DEVICES="+c.UUID)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if !card.NoError(t, err, "the driver says what the GPU decodes", "") {
		return
	}
	var all []cuda.Decoder
	if err := json.Unmarshal(out, &all); err != nil {
		card.NoError(t, err, "the list of decoders", "")
		return
	}
	for _, d := range all {
		what := "decoder: " + d.Codec + " " + d.Format
		if d.Codec == "H.264" && d.Format == "4:2:0 8 bit" {
			fits := d.Supported && d.LeastWidth <= 320 && d.LeastHeight <= 180 && d.MostWidth >= 3840 &&
				d.MostHeight >= 2160
			card.CheckThat(t, fits, what, "180p to 2160p", d.String(), d.String())
			continue
		}
		figure := ""
		if d.Supported {
			figure = d.String()
		}
		card.RecordCheck(t, what, d.String(), figure)
	}
}
