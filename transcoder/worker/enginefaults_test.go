package worker_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// mayReport: a worker's failure of this code is taken.
func mayReport(code fault.Code) bool {
	f, err := worker.DecodeError(worker.EncodeError(fault.New(code, "decode", "")))
	return err == nil && f.Code == code
}

// TestWorkersReportWhatEnginesSay: each code that an engine names in its sources is a worker's to report.
func TestWorkersReportWhatEnginesSay(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`\bfault\.([A-Z]\w+)`)
	seen := 0
	for _, folder := range []string{"..", "../libav", "../libav/mediafile"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range name.FindAllSubmatch(text, -1) {
				code := fault.Code(found[1])
				if _, is := fault.Lookup(code); !is {
					continue // a function of the package
				}
				if seen++; !mayReport(code) {
					t.Errorf("%s has %s, which a worker's node would take for a break-in", file, code)
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d codes in the sources of engines", seen)
	}
}

// TestFailuresOfTheNodeAreNotAWorkers: what the node alone can know is malformed in a worker's mouth.
func TestFailuresOfTheNodeAreNotAWorkers(t *testing.T) {
	t.Parallel()
	for _, code := range []fault.Code{
		fault.WorkerCrashed, fault.WorkerUnresponsive, fault.WorkerOutOfMemory, fault.WorkerReplaced, fault.WorkerProtocol,
		fault.WorkerStartFailed, fault.WorkerQuarantined, fault.WorkerClosed, fault.TranscodeTimeout, fault.SegmentRefused,
		fault.SenderDeferred, fault.TranscoderBusy, fault.RenditionsTooLarge, fault.RemoteWorkerLost,
		fault.RemoteWorkerTimeout, fault.OrchestratorCapped, fault.NoTranscoders, fault.InsufficientBalance, fault.Draining,
	} {
		var malformed *worker.ProtocolError
		_, err := worker.DecodeError(worker.EncodeError(fault.New(code, "transcode", "")))
		if !errors.As(err, &malformed) {
			t.Errorf("%s: %v", code, err)
		}
	}
}
