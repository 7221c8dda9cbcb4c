package capability_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
)

// vectors is the part of capabilities.json that needs no protobuf; the messages
// are checked in server/rpc.
type vectors struct {
	Names []struct {
		ID   capability.ID
		Name string
	}
	Bitstrings []struct {
		Name         string
		Capabilities []capability.ID
		Words        []uint64 `json:"bitstring_decimal"`
	}
	Pipelines []struct {
		Capability      capability.ID
		Pipeline, Error string
	} `json:"pipeline_to_capability"`
	Versions []struct {
		Compatible bool
		Minimum    string `json:"min_version"`
		Version    string
	} `json:"version_rule"`
	Jobs []struct {
		Name, Bitstring string
	} `json:"job_capabilities"`
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/capabilities.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Names) == 0 || len(v.Bitstrings) == 0 || len(v.Pipelines) == 0 || len(v.Versions) == 0 ||
		len(v.Jobs) == 0 {
		t.Fatal("a list of the vectors is empty")
	}
	return v
}
