package doctorcmd

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

func TestLiveRunners(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer app.Close()
	entry := `{"label":%q,"app":"x","runner_url":%q,"health_url":"/health"%s}`
	read := func(text string) ([]doctor.LiveRunner, error) {
		file := filepath.Join(t.TempDir(), "runners.json")
		if err := os.WriteFile(file, []byte(`{"runners":[`+text+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		l := &inspection{cfg: &config.Config{}, w: &doctor.World{Running: doctor.FixedProbe(doctor.Running{}, nil)}}
		l.cfg.LiveAI.RunnerConfig = file
		return l.liveRunners(t.Context())
	}
	list, err := read(fmt.Sprintf(entry, "a", app.URL, "") + "," + fmt.Sprintf(entry, "b", "http://127.0.0.1:1", "") +
		"," +
		fmt.Sprintf(entry, "c", "http://127.0.0.1:1", `,"command":["no such program"]`))
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	if list[0].Health != nil || list[1].Health == nil || list[2].Health != nil || list[2].Program == nil ||
		!list[2].Managed {
		t.Errorf("%+v", list)
	}
	for _, wrong := range []string{
		fmt.Sprintf(entry, " a", app.URL, ""),
		fmt.Sprintf(entry, "a", app.URL, `,"command":["true"],"gpus":1`),
	} {
		if _, err := read(wrong); !errors.Is(err, fault.LiveRunnersInvalid) {
			t.Error(wrong, err)
		}
	}
}
