package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sbom is a software bill of materials in the CycloneDX format. Scanners for vulnerabilities and licenses
// read it.
type sbom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Serial     string      `json:"serialNumber"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Licenses   []licensed `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type licensed struct {
	Expression string `json:"expression"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeSBOM writes it next to the packages, so that it can be read without installing them.
func (r *release) writeSBOM(parts []part) ([]string, error) {
	path := r.named(".cdx.json")
	return []string{path}, writeFile(path, func(w io.Writer) error { return r.encodeSBOM(w, parts) })
}

func (r *release) encodeSBOM(w io.Writer, parts []part) error {
	main := component{Type: "application", Ref: "tutti", Name: "tutti", Version: r.version,
		Licenses: []licensed{{combinedLicense}}}
	b := sbom{Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: metadata{r.time.Format("2006-01-02T15:04:05Z"), main}}
	for _, name := range allPrograms() {
		sum, err := sha256Of(filepath.Join(r.programs, name))
		if err != nil {
			return err
		}
		b.Components = append(b.Components,
			component{Type: "application", Ref: "program-" + name, Name: name, Version: r.version,
				Licenses: []licensed{{combinedLicense}}, Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sum)}}})
	}
	player, err := r.player()
	if err != nil {
		return err
	}
	for _, p := range append(parts, player) {
		b.Components = append(b.Components, p.component())
	}
	b.Serial = serial(b)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

func (p part) component() component {
	c := component{Type: "library", Ref: p.purl, Name: p.name, Version: p.version, PURL: p.purl}
	if p.license != "" {
		c.Licenses = []licensed{{p.license}}
	}
	if p.image {
		c.Properties = []property{{"tutti:only", "container image"}}
	}
	return c
}

// player returns the video player that the web pages embed.
func (r *release) player() (part, error) {
	const readme = "server/web/page/vendor/README.md"
	text, err := os.ReadFile(filepath.Join(r.tree, readme))
	if err != nil {
		return part{}, fmt.Errorf("find the version of hls.js: %w", err)
	}
	words := strings.Fields(string(text))
	if len(words) < 2 || words[0] != "hls.js" {
		return part{}, fmt.Errorf("%s does not begin with the version of hls.js", readme)
	}
	version := strings.TrimSuffix(words[1], ",")
	return part{name: "hls.js", version: version, license: "Apache-2.0", purl: "pkg:npm/hls.js@" + version}, nil
}

// serial derives the serial number, a UUID, from the content: equal content has an equal number.
func serial(b sbom) string {
	text, err := json.Marshal(b)
	if err != nil {
		return ""
	}
	s := sha256.Sum256(text)
	s[6], s[8] = s[6]&0x0f|0x50, s[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", s[:4], s[4:6], s[6:8], s[8:10], s[10:16])
}
