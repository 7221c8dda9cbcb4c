package sandbox_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// A missing restriction exposes nothing while another one protects the same resource.
func TestExposed(t *testing.T) {
	t.Parallel()
	const (
		calls, landlock = sandbox.Calls + ": x", sandbox.Landlock + ": x"
		root, network   = sandbox.OwnRoot + ": x", sandbox.Network + ": x"
		files           = "the files of the node's user"
	)
	for _, row := range []struct {
		gpu     bool
		missing []string
		want    []string
	}{
		{false, nil, nil},
		{false, []string{network, root, sandbox.OtherUser + ": x"}, nil},
		{false, []string{landlock, root, network}, nil}, // no call names a path
		{true, []string{landlock}, nil},
		{true, []string{root}, nil},
		{true, []string{landlock, root}, []string{files}},
		{false, []string{calls}, []string{"all of the kernel's system calls"}},
		{false, []string{calls, network}, []string{"the network", "all of the kernel's system calls"}},
		{false, []string{sandbox.Capabilities + ": x"}, []string{"the privileges of the node's user"}},
		{false, []string{sandbox.Everything + ": x"}, []string{files, "the network",
			"all of the kernel's system calls", "the memory of other processes of its user",
			"the privileges of the node's user"}},
	} {
		if got := sandbox.Exposed(row.gpu, row.missing); !slices.Equal(got, row.want) {
			t.Errorf("GPU %t without %q: %q, want %q", row.gpu, row.missing, got, row.want)
		}
	}
}
