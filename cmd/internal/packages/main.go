// Command packages makes what operators install out of programs that are built
// already: a deb, an rpm, an archive, a container image, a list of parts with their
// licenses (SBOM) and checksums. The same programs, version and time give the same
// bytes, wherever it runs.
//
// "packages zip FOLDER ZIP SECONDS" makes the archive, for Windows only; deploy/nfpm/windows.sh calls it.
//
// It compiles nothing and fetches nothing: deploy/nfpm/build.sh hands over the programs
// and what is packed with them. It is a tool of the source tree and never part of a
// release.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// release is what is packed, and how.
type release struct {
	version, arch string
	// time is the commit's: every file in every package has it.
	time time.Time
	// tree is the source tree, programs the folder of the built ones, libav the
	// prefix they were linked with, image what an image holds next to them.
	tree, programs, libav, image string
	// nfpm is the program that writes deb and rpm; out is where all goes.
	nfpm, out string
	// modules is Go's module cache, for the licenses; zones Go's table of time zones.
	modules, zones string
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "zip" {
		if err := zipFolder(args[1:]); err != nil {
			fmt.Fprintln(stderr, "packages:", err)
			return 1
		}
		return 0
	}
	r, err := parse(args, stderr)
	if err != nil {
		return 2
	}
	made, err := r.make()
	if err != nil {
		fmt.Fprintln(stderr, "packages:", err)
		return 1
	}
	for _, path := range made {
		info, err := os.Stat(path)
		if err != nil {
			fmt.Fprintln(stderr, "packages:", err)
			return 1
		}
		fmt.Fprintf(stdout, "%8.1f MB  %s\n", float64(info.Size())/1e6, path)
	}
	return 0
}

func parse(args []string, stderr io.Writer) (*release, error) {
	r := &release{}
	flags := flag.NewFlagSet("packages", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&r.version, "version", "", "the release's version")
	flags.StringVar(&r.arch, "arch", "amd64", "the programs' architecture: amd64 or arm64")
	epoch := flags.Int64("epoch", 0, "the time of every file, in seconds since 1970")
	flags.StringVar(&r.tree, "tree", ".", "the source tree")
	flags.StringVar(&r.programs, "programs", "", "the folder of the built programs")
	flags.StringVar(&r.libav, "libav", "", "the libav prefix that they were linked with")
	flags.StringVar(&r.image, "image", "", "the folder of what an image holds next to them; without it no image is made")
	flags.StringVar(&r.nfpm, "nfpm", "", "the nfpm program; without it no deb and no rpm is made")
	flags.StringVar(&r.modules, "modules", "", "Go's module cache")
	flags.StringVar(&r.zones, "zones", "", "Go's zoneinfo.zip, for the image")
	flags.StringVar(&r.out, "out", "", "the folder that the packages are written to")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	r.time = time.Unix(*epoch, 0).UTC()
	if r.version == "" || r.programs == "" || r.out == "" || r.libav == "" {
		fmt.Fprintln(stderr, "packages: -version, -programs, -libav and -out have to be given")
		return nil, errors.New("usage")
	}
	return r, nil
}

// make writes all packages and returns their paths.
func (r *release) make() ([]string, error) {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return nil, err
	}
	glibc, err := leastGlibc(r.programs)
	if err != nil {
		return nil, err
	}
	parts, err := r.parts()
	if err != nil {
		return nil, err
	}
	files, err := r.files(parts)
	if err != nil {
		return nil, err
	}
	var made []string
	for _, step := range []func() ([]string, error){
		func() ([]string, error) { return r.linux(files, glibc) },
		func() ([]string, error) { return r.archive(files) },
		func() ([]string, error) { return r.imageArchive(files) },
		func() ([]string, error) { return r.writeSBOM(parts) },
		r.libavArchive,
	} {
		paths, err := step()
		if err != nil {
			return nil, err
		}
		made = append(made, paths...)
	}
	slices.Sort(made)
	sums, err := checksums(filepath.Join(r.out, "SHA256SUMS-"+r.arch), made)
	return append(made, sums), err
}

// named returns the path of a package of the node.
func (r *release) named(suffix string) string { return r.namedAs("tutti", suffix) }

// namedAs returns the path of a package with another name.
func (r *release) namedAs(name, suffix string) string {
	return filepath.Join(r.out, fmt.Sprintf("%s-%s-linux-%s%s", name, r.version, r.arch, suffix))
}
