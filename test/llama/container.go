package llama

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/test/tinymodel"
)

// Image is the name of the image that Import makes.
const Image = "tutti-test/llama:latest"

// modelName is the model's file in a container's models directory.
const modelName = "tutti-tiny-counting.gguf"

// WriteModel writes the model into a models directory, where a container of Image
// looks for it.
func WriteModel(dir string, opt tinymodel.Options) error {
	model, err := tinymodel.Make(opt)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, modelName), model, 0o644)
}

// Import makes an image of the tree at a Docker Engine: a runner that serves
// WriteModel's model under ModelID on port 8000. Nothing is fetched.
func Import(ctx context.Context, engine *client.Client, tree string) error {
	entry, backend, err := inside(tree)
	if err != nil {
		return err
	}
	entry = append(entry, "--model", "/models/"+modelName, "--alias", ModelID, "--host", "0.0.0.0", "--port", "8000",
		"--parallel", "4", "--threads", "1", "--metrics", "--no-webui", "--cache-ram", "0")
	r, w := io.Pipe()
	go func() { w.CloseWithError(pack(w, tree)) }()
	defer r.Close()
	repo, tag, _ := strings.Cut(Image, ":")
	res, err := engine.ImageImport(ctx, client.ImageImportSource{Source: r, SourceName: "-"}, repo,
		client.ImageImportOptions{
			Tag: tag, Changes: []string{`ENTRYPOINT ["` + strings.Join(entry, `","`) + `"]`, "ENV GGML_BACKEND_PATH=" + backend},
		})
	if err != nil {
		return fmt.Errorf("make the image %s: %w", Image, err)
	}
	_, err = io.Copy(io.Discard, res)
	return errors.Join(err, res.Close())
}

// inside is the server's command line and its computing back-end as a container
// sees them that has the tree as its root.
func inside(tree string) (entry []string, backend string, err error) {
	cmd, err := Command(tree)
	if err != nil {
		return nil, "", err
	}
	if backend, err = Backend(tree); err != nil {
		return nil, "", err
	}
	for _, arg := range cmd.Args {
		entry = append(entry, strings.ReplaceAll(arg, tree, ""))
	}
	return entry, strings.TrimPrefix(backend, tree), nil
}

// pack writes a tree as a tar file, links as links.
func pack(w io.Writer, tree string) error {
	out := tar.NewWriter(w)
	return errors.Join(out.AddFS(os.DirFS(tree)), out.Close())
}
