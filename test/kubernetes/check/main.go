// Command check builds the manifests of deploy/kubernetes as kustomize does and holds
// every object against the types of the cluster's API: a field that does not exist
// there, or has another type, is an error. What the API server asks beyond its types
// (names, selectors that match, probes that name a port) is checked here, too.
//
// It is a module of its own, so that the node's does not depend on Kubernetes.
// test/kubernetes runs it and reads the objects, as JSON lines, from its output.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	elsewhere := flag.String("elsewhere", "", "secrets that other folders make, between commas")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: check [-elsewhere secret,…] folder…")
		os.Exit(2)
	}
	bad := false
	for _, folder := range flag.Args() {
		objects, err := build(folder)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", folder, err)
			bad = true
			continue
		}
		for _, p := range problems(objects, strings.Split(*elsewhere, ",")) {
			fmt.Fprintf(os.Stderr, "%s: %s\n", folder, p)
			bad = true
		}
		if err := write(folder, objects); err != nil {
			fmt.Fprintln(os.Stderr, err)
			bad = true
		}
	}
	if bad {
		os.Exit(1)
	}
}

// build is `kustomize build` of a folder, each object decoded strictly.
func build(folder string) ([]object, error) {
	options := krusty.MakeDefaultOptions()
	resources, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	var all []object
	for _, r := range resources.Resources() {
		text, err := r.MarshalJSON()
		if err != nil {
			return nil, err
		}
		o, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.GetKind(), r.GetName(), err)
		}
		all = append(all, o)
	}
	return all, nil
}

// write prints the objects, one per line.
func write(folder string, objects []object) error {
	out := json.NewEncoder(os.Stdout)
	for _, o := range objects {
		if err := out.Encode(map[string]any{"folder": folder,
			"kind": o.kind, "name": o.name, "object": json.RawMessage(o.text)}); err != nil {
			return err
		}
	}
	return nil
}
