package docker

import (
	"path"
	"regexp"
	"strings"

	"github.com/distribution/reference"

	"github.com/tuttinode/tutti/core/fault"
)

// RunnerRelease is the runner release that this node is written for: major and minor of
// what GET /version answers, and of image tags with a version. Patch releases are assumed
// to be compatible.
const RunnerRelease = "0.14"

// runnerRepository is the last part of the network's runner images' names, in the registry
// or a mirror. Tags of other images do not name a runner's version.
const runnerRepository = "ai-runner"

// tagVersion finds a version among a tag's parts: 0.14.1, v0.14, llm-0.14.1.
func tagVersion() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|-)v?([0-9]+)\.([0-9]+)(?:\.[0-9]+)?(?:$|-)`)
}

// reportedVersion matches a version that a runner reports.
func reportedVersion() *regexp.Regexp {
	return regexp.MustCompile(`^v?([0-9]+)\.([0-9]+)(?:\.[0-9]+)?(?:$|[-+])`)
}

// CheckTag checks whether a runner's release is the one that this node is written for.
// reported is the version that the runner reports, "" before it has. A
// RunnerVersionMismatch is a warning, the runner is still used: the network's tags name a
// pipeline and move from release to release, so that an image pulled long ago, or pinned in
// -aiRunnerImageOverrides, is the usual cause of a runner that fails silently.
//
// The reported version takes precedence over the tag. A runner without a useful version
// ("undefined", "0.0.0") under a tag without a version passes.
func CheckTag(image, reported string) *fault.Fault {
	const op = "compare runner with release"
	if release, ok := reportedRelease(reported); ok {
		if release == RunnerRelease {
			return nil
		}
		return fault.New(fault.RunnerVersionMismatch, op, "the runner is of release "+clean(reported)+
			", this node is written for "+RunnerRelease+".x")
	}
	tag, release := tagRelease(image)
	if release == "" || release == RunnerRelease {
		return nil
	}
	return fault.New(fault.RunnerVersionMismatch, op, "the image's tag "+tag+
		" is of another release, this node is written for "+RunnerRelease+".x")
}

// reportedRelease returns the release in a runner's version, false without one.
func reportedRelease(version string) (string, bool) {
	m := reportedVersion().FindStringSubmatch(strings.TrimSpace(version))
	if m == nil || m[1] == "0" && m[2] == "0" {
		return "", false
	}
	return m[1] + "." + m[2], true
}

// tagRelease returns the tag of one of the network's runner images and the release in it, "" if
// it has none.
func tagRelease(image string) (tag, release string) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil || path.Base(reference.Path(named)) != runnerRepository {
		return "", ""
	}
	tagged, ok := named.(reference.Tagged)
	if !ok {
		return "", ""
	}
	m := tagVersion().FindStringSubmatch(tagged.Tag())
	if m == nil {
		return tagged.Tag(), ""
	}
	return tagged.Tag(), m[1] + "." + m[2]
}
