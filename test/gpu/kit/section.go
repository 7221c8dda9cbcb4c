package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The section of docs/gpu.md lies between these lines.
const (
	sectionBegin = "<!-- Filled by make gpureport. -->"
	sectionEnd   = "<!-- End of what make gpureport fills. -->"
)

// notRun is what the section says without a report.
const notRun = "Not run on a GPU."

var (
	errNoReport  = errors.New("this is no report of the GPU kit: it does not begin with \"" + title + "\"")
	errSimulated = errors.New("this is the report of a rehearsal on the simulated driver; only a GPU's report belongs " +
		"into the documentation")
	errNoSection = errors.New("the page has no section for GPU reports")
)

// publish copies a report.md into a folder of documents, named for its GPU, and
// fills the section of gpu.md there from all such files.
func publish(path, docs string) (copied string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	name, err := fileName(string(text))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	copied = filepath.Join(docs, name)
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		return "", err
	}
	return copied, fill(docs)
}

// fill writes the section of gpu.md from the reports next to it.
func fill(docs string) error {
	page := filepath.Join(docs, "gpu.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	filled, err := filled(string(text), docs)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(filled), 0o644)
}

// filled is the page with its section as the reports in a folder want it.
func filled(page, docs string) (string, error) {
	before, rest, found := strings.Cut(page, sectionBegin+"\n")
	_, after, ended := strings.Cut(rest, sectionEnd)
	if !found || !ended {
		return "", errNoSection
	}
	section, err := section(docs)
	return before + sectionBegin + "\n\n" + section + "\n" + sectionEnd + after, err
}

// section holds the beginning of every report, without the single checks.
func section(docs string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(docs, "gpu-report-*.md"))
	if err != nil {
		return "", err
	}
	if len(paths) == 0 {
		return notRun + "\n", nil
	}
	slices.Sort(paths)
	var b strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if _, err := fileName(string(text)); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		head, _, _ := strings.Cut(string(text), "\n"+details)
		head = strings.Replace(head, title, "### ", 1)
		head = strings.ReplaceAll(head, "\n## ", "\n#### ")
		fmt.Fprintf(&b, "%s\n[Every check](%s).\n", head, filepath.Base(path))
	}
	return b.String(), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is gpu-report-<GPU>.md for the text of a report.
func fileName(text string) (string, error) {
	first, rest, _ := strings.Cut(text, "\n")
	name, found := strings.CutPrefix(first, title)
	slug := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
	switch {
	case !found || slug == "" || !strings.Contains(rest, "\n"+details):
		return "", errNoReport
	case strings.Contains(rest, "| Driver | "+Simulated):
		return "", errSimulated
	}
	return "gpu-report-" + slug + ".md", nil
}
