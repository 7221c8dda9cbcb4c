package docker

import (
	"path"
	"regexp"
	"strings"

	"github.com/distribution/reference"

	"github.com/tuttinode/tutti/core/fault"
)

// RunnerLine is the release line of runners that this node is written for:
// major and minor of what GET /version answers, and of image tags that carry a
// version. Within a line runners are taken to be compatible.
const RunnerLine = "0.14"

// runnerRepository is the last part of the names under which the network's own
// runner is kept, in its registry or a mirror. Versions in other images' tags are
// their own makers' and say nothing about the runner's.
const runnerRepository = "ai-runner"

// tagVersion finds a version among a tag's parts: 0.14.1, v0.14, llm-0.14.1.
var tagVersion = regexp.MustCompile(`(?:^|-)v?([0-9]+)\.([0-9]+)(?:\.[0-9]+)?(?:$|-)`)

// reportedVersion is a version as a runner tells it.
var reportedVersion = regexp.MustCompile(`^v?([0-9]+)\.([0-9]+)(?:\.[0-9]+)?(?:$|[-+])`)

// CheckTag says whether a runner fits this node: reported is the version that it
// gave itself, "" while it has not. The answer is nil or a RunnerVersionMismatch
// to be shown, no reason not to use the runner: the network's tags name a pipeline
// and move from release to release, so an image pulled long ago, or pinned in
// -aiRunnerImageOverrides, is the usual cause of a runner that fails silently.
//
// What the runner says counts before what its tag says. One that says nothing
// useful ("undefined", "0.0.0") under a tag without a version passes.
func CheckTag(image, reported string) *fault.Fault {
	const op = "compare runner with release"
	if line, ok := reportedLine(reported); ok {
		if line == RunnerLine {
			return nil
		}
		return fault.New(fault.RunnerVersionMismatch, op, "the runner is of release "+clean(reported)+", this node is written for "+RunnerLine+".x")
	}
	tag, line := tagLine(image)
	if line == "" || line == RunnerLine {
		return nil
	}
	return fault.New(fault.RunnerVersionMismatch, op, "the image's tag "+tag+" is of another release, this node is written for "+RunnerLine+".x")
}

// reportedLine is the release line in a runner's version, false without one.
func reportedLine(version string) (string, bool) {
	m := reportedVersion.FindStringSubmatch(strings.TrimSpace(version))
	if m == nil || m[1] == "0" && m[2] == "0" {
		return "", false
	}
	return m[1] + "." + m[2], true
}

// tagLine is the tag of one of the network's runner images and the release line
// in it, "" where it carries none.
func tagLine(image string) (tag, line string) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil || path.Base(reference.Path(named)) != runnerRepository {
		return "", ""
	}
	tagged, ok := named.(reference.Tagged)
	if !ok {
		return "", ""
	}
	m := tagVersion.FindStringSubmatch(tagged.Tag())
	if m == nil {
		return tagged.Tag(), ""
	}
	return tagged.Tag(), m[1] + "." + m[2]
}
