package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/gpu/card"
)

const page = "# GPUs\n\nbefore\n\n" + sectionBegin + "\n\nold\n\n" + sectionEnd + "\n\nafter\n"

func sample() Report {
	return Report{
		Kit: "1", Date: "2026-11-22", Driver: "580.159.04", CUDA: "13.0", Full: true,
		Card: Card{Name: "NVIDIA H100 80GB HBM3", Compute: "9.0", Memory: 81559 << 20},
		Host: Host{Kernel: "6.1", System: "Debian", Processor: "a CPU", Cores: 16, Memory: 128 << 30},
		Parts: []Part{{Name: "correct", Title: "Pictures.", Seconds: 61, Checks: []card.Check{
			{What: "PSNR", Expected: "40 dB", Seen: "42.5 dB", Figure: "42.5 dB", Result: card.Passed},
			{What: "HEVC", Seen: "no encoder", Result: card.Skipped},
		}}, {Name: "speed", Title: "Pace.", Seconds: 9, Checks: []card.Check{
			{What: "1080p30", Expected: "at most 1.03", Seen: "0.98", Figure: "0.98 ×", Result: card.Passed},
		}}},
	}
}

func folder(t *testing.T) string {
	t.Helper()
	docs := t.TempDir()
	if err := os.WriteFile(filepath.Join(docs, "gpu.md"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	return docs
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPublish(t *testing.T) {
	t.Parallel()
	docs, out := folder(t), t.TempDir()
	if err := fill(docs); err != nil || !strings.Contains(text(t, filepath.Join(docs, "gpu.md")),
		"\n\n"+notRun+"\n\n") {
		t.Errorf("without a report: %v\n%s", err, text(t, filepath.Join(docs, "gpu.md")))
	}
	if err := sample().Write(out); err != nil {
		t.Fatal(err)
	}
	copied, err := publish(filepath.Join(out, markdown), docs)
	if err != nil || filepath.Base(copied) != "gpu-report-nvidia-h100-80gb-hbm3.md" {
		t.Fatal(copied, err)
	}
	got := text(t, filepath.Join(docs, "gpu.md"))
	for _, want := range []string{
		"before", "after", "### NVIDIA H100 80GB HBM3", "| Driver | 580.159.04, CUDA 13.0 |", "| Date | 2026-11-22 |",
		"| speed | 1080p30 | 0.98 × |",
		"| correct | 1 | 0 | 1 | 61 s | passed |", "[Every check](gpu-report-nvidia-h100-80gb-hbm3.md)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the page:\n%s", want, got)
		}
	}
	if strings.Contains(got, "42.5 dB") || strings.Contains(got, "no encoder |") || strings.Contains(got, "old") ||
		strings.Contains(got, notRun) {
		t.Errorf("too much:\n%s", got)
	}
	if err := fill(docs); err != nil || text(t, filepath.Join(docs, "gpu.md")) != got {
		t.Errorf("filled again it is another page: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	docs, out := folder(t), t.TempDir()
	r := sample()
	r.Driver = Simulated
	if err := r.Write(out); err != nil {
		t.Fatal(err)
	}
	if _, err := publish(filepath.Join(out, markdown), docs); err == nil {
		t.Error("a rehearsal's report was published")
	}
	for _, text := range []string{"", "# GPU report: \n", "# Something\n"} {
		path := filepath.Join(out, "x.md")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := publish(path, docs); err == nil {
			t.Errorf("%q was published", text)
		}
	}
	if got := text(t, filepath.Join(docs, "gpu.md")); got != page {
		t.Errorf("the page was changed:\n%s", got)
	}
}

// TestDocumentationIsFilled: the page in docs/ is what the reports next to it make it.
func TestDocumentationIsFilled(t *testing.T) {
	t.Parallel()
	const docs = "../../../docs"
	have := text(t, filepath.Join(docs, "gpu.md"))
	want, err := filled(have, docs)
	if err != nil {
		t.Fatal(err)
	}
	if have != want {
		t.Error("docs/gpu.md is not what its reports make it; run make gpureport")
	}
}
