package config_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

func TestParseDevices(t *testing.T) {
	t.Parallel()
	d, err := config.ParseDevices("1,GPU-8932F937,0")
	if err != nil || d.String() != "1,0,GPU-8932f937" || d.None() || d.All || len(d.IDs) != 2 || len(d.UUIDs) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	for _, in := range []string{"vaapi:/dev/dri/renderD128", "0,VAAPI", "/dev/dri/renderD128"} {
		if _, err := config.ParseDevices(in); err == nil || !strings.Contains(err.Error(), "without libva") {
			t.Errorf("%q: %v", in, err)
		}
	}
}
