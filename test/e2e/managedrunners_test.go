package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// liveProgram is an application that the node starts: this test's own program.
func liveProgram() {
	fmt.Println("the application begins")
	http.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/pid", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "%d %q", os.Getpid(), os.Getenv("CUDA_VISIBLE_DEVICES")+os.Getenv("LP_ORCHSECRET"))
	})
	http.HandleFunc("/hold", func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
	os.Exit(1)
}

// The node starts a runner's program, its own environment hidden from it. The program is killed: its session ends
// within a second, its slot is free once, and it is started again and takes sessions. It ends with the node.
func TestAManagedRunnerIsKilled(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	node, uri, cli := startLive(t, fmt.Sprintf(`{"label":"studio","routing":"label","app":"x","runner_url":"http://%s",`+
		`"health_url":"/health","command":[%q],"env":{"LIVE_PROGRAM":"1"}}`, harness.Address(t), self))
	serves := func() bool {
		_, text := send(t, "GET", uri+"/discovery", "")
		return strings.Contains(text, "/apps/studio/session")
	}
	node.Wait("the runner to be started", 30*time.Second, serves)
	s := reserveLive(t, uri, "studio")
	_, text := send(t, "GET", s.App+"/pid", "")
	pid, rest, _ := strings.Cut(text, " ")
	id, err := strconv.Atoi(pid)
	if err != nil || rest != `""` {
		t.Fatal(text, err)
	}
	held, err := harness.Client().Get(s.App + "/hold")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Body.Close()
	if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if _, err := io.ReadAll(held.Body); err == nil {
		t.Error("a request to a killed runner ends well")
	}
	node.Wait("the session to end", 10*time.Second, func() bool {
		status, _ := send(t, "GET", s.App+"/pid", "")
		return status == http.StatusNotFound
	})
	if took := time.Since(killed); took > 4*time.Second {
		t.Error("the session ended after", took)
	}
	node.Wait("the runner to serve again", 30*time.Second, serves)
	again := reserveLive(t, uri, "studio")
	if status, text := send(t, "POST", uri+"/apps/studio/session", ""); status != http.StatusServiceUnavailable {
		t.Error("its slot is free twice:", status, text)
	}
	_, text = send(t, "GET", again.App+"/pid", "")
	pid, _, _ = strings.Cut(text, " ")
	if other, err := strconv.Atoi(pid); err != nil || other == id {
		t.Error(text)
	}
	var all struct {
		Runners []struct {
			Kind     string `json:"kind"`
			Restarts int    `json:"restarts"`
		} `json:"runners"`
	}
	_, list := harness.Get(t, cli+"/api/v1/runners")
	if err := json.Unmarshal(list, &all); err != nil || len(all.Runners) != 1 || all.Runners[0].Kind != "managed" ||
		all.Runners[0].Restarts != 1 {
		t.Errorf("%s %v", list, err)
	}
	send(t, "POST", again.Control+"/stop", "")
	node.Signal(syscall.SIGTERM)
	if status := node.Exit(30 * time.Second); status != 0 {
		t.Error("status", status)
	}
	if _, err := os.Stat("/proc/" + pid); err == nil {
		t.Error("the program goes on without its node")
	}
}
