package models_test

import (
	"os"
	"reflect"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fetchurl"
)

// What an entry leaves out permits nothing, what it says is taken as it is.
func TestSandbox(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/good/sandbox.json")
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := models.Load(models.Options{Value: string(text), ContainersPerGPU: 10})
	if err != nil || len(c.Entries) != 2 {
		t.Fatalf("%v, %+v", err, c.Entries)
	}
	want := models.Sandbox{
		Network: true, Root: models.RootWritable, WriteModels: true, MemoryBytes: 1500 * models.GB / 1000,
		Processes:    100,
		Capabilities: []string{"SETUID", "SETGID"},
	}
	if got := c.Entries[0]; !reflect.DeepEqual(got.Sandbox, want) || got.RequestURLs != fetchurl.PublicHosts {
		t.Errorf("%+v", got)
	}
	if got := c.Entries[1]; !reflect.DeepEqual(got.Sandbox, models.Sandbox{}) || got.RequestURLs != fetchurl.Any {
		t.Errorf("a server of the operator's: %+v", got)
	}
	c, _, err = models.Load(
		models.Options{
			Value: `[{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "price_per_unit": 1, ` +
				`"pixels_per_unit": 1}]`,
		},
	)
	if err != nil || !reflect.DeepEqual(c.Entries[0].Sandbox, models.Sandbox{}) ||
		c.Entries[0].RequestURLs != fetchurl.Fetch {
		t.Errorf("%v, %+v", err, c.Entries)
	}
}
