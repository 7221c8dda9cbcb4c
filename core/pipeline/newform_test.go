package pipeline_test

import (
	"bytes"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/pipeline"
)

// plainForm is a form with a number of images and a file, its lines with CRLF.
func plainForm(boundary, images string) string {
	form := "--B\nContent-Disposition: form-data; name=\"num_images_per_prompt\"\n\n" + images +
		"\n--B\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\nContent-Type: image/png\n\nPNG\n--B--\n"
	return strings.ReplaceAll(strings.ReplaceAll(form, "--B", "--"+boundary), "\n", "\r\n")
}

// TestFormsHaveOneReading: a model server gets what the job was priced by. Each of these has a second
// reading, by which FastAPI's and other servers make 50 images.
func TestFormsHaveOneReading(t *testing.T) {
	t.Parallel()
	field := func(disposition, value string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + value + "\r\n"
	}
	hidden := field(`name="num_images_per_prompt"`, "50")
	for name, tc := range map[string]struct{ contentType, body string }{
		"LF before the first boundary": {"multipart/form-data; boundary=b", "\n" + hidden + plainForm("b", "1")},
		"CR before it":                 {"multipart/form-data; boundary=b", "\r" + hidden + plainForm("b", "1")},
		"LF before a boundary": {"multipart/form-data; boundary=b",
			field(`name="prompt"`, "x\n"+hidden) + plainForm("b", "1")},
		"quotes in a header": {"multipart/form-data; boundary=b",
			field(`a="\\"; name=zzz; b="; name=num_images_per_prompt; c="`, "50") + plainForm("b", "1")},
		"quotes in a file's name": {"multipart/form-data; boundary=b",
			field(`name=zzz; filename="\\"; b="; name=num_images_per_prompt; c="`, "50") + plainForm("b", "1")},
		"quotes in the content type": {`multipart/form-data; a="\\"; boundary=b; b="; boundary=evil; c="`,
			field(`name="prompt"`, "x\r\n"+plainForm("evil", "50")) + plainForm("b", "1")},
		"a charset":     {"multipart/form-data; boundary=b; charset=utf-7", plainForm("b", "1")},
		"after the end": {"multipart/form-data; boundary=b", plainForm("b", "1") + hidden + "--b--\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType, pieces, err := pipeline.NewForm(tc.contentType, []byte(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			kind, params, err := mime.ParseMediaType(contentType)
			if err != nil || kind != "multipart/form-data" || len(params) != 1 {
				t.Errorf("content type %q", contentType)
			}
			form := string(bytes.Join(pieces, nil))
			r, err := multipart.NewReader(strings.NewReader(form), params["boundary"]).ReadForm(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Value["num_images_per_prompt"]; len(got) != 1 || got[0] != "1" || len(r.File["image"]) != 1 ||
				r.File["image"][0].Filename != "a.png" || r.File["image"][0].Header.Get("Content-Type") != "image/png" {
				t.Errorf("read as %v", r)
			}
			for line := range strings.SplitSeq(form, "\r\n") {
				if strings.HasPrefix(line, "Content-Disposition") && strings.Count(line, "name=") !=
					1+strings.Count(line, `; filename="`) {
					t.Errorf("a header with two readings: %s", line)
				}
			}
			if !strings.HasPrefix(form, "--"+params["boundary"]+"\r\n") ||
				strings.Count(form, params["boundary"]) != strings.Count(form, "\r\n--"+params["boundary"])+1 {
				t.Errorf("boundaries in another place: %q", form)
			}
		})
	}
}

func TestNamesOfFormFields(t *testing.T) {
	t.Parallel()
	form := func(name string) []byte {
		return []byte("--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\nx\r\n--b--\r\n")
	}
	for _, good := range []string{"prompt", "timestamp_granularities[]", "a-b.c", "Size2"} {
		if _, _, err := pipeline.NewForm("multipart/form-data; boundary=b", form(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"a b", `a\\`, "a;b", "prömpt", "a=b", "a'b"} {
		if _, _, err := pipeline.NewForm("multipart/form-data; boundary=b", form(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
