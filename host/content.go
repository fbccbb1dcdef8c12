package host

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/acp"
)

// mostEmbedded is the largest text, in bytes, that goes along with a prompt as text rather than as a link.
const mostEmbedded = 256 << 10

// content makes the blocks of a prompt: the words, and what goes with them in the form that the agent takes. It may read
// files.
func content(p prompt, can acp.PromptCapabilities) ([]acp.ContentBlock, error) {
	var blocks []acp.ContentBlock
	if p.text != "" {
		blocks = append(blocks, acp.Text(p.text))
	}
	for _, a := range p.context {
		block, err := a.block(can)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

func (a attachment) block(can acp.PromptCapabilities) (acp.ContentBlock, error) {
	switch {
	case a.Image != "":
		return a.image(can)
	case can.EmbeddedContext && a.Text != "" && len(a.Text) <= mostEmbedded:
		return &acp.EmbeddedResource{Resource: &acp.TextResourceContents{URI: a.uri(), Text: a.Text}}, nil
	case a.Record != "":
		return acp.Text(a.Text), nil
	case a.Path != "":
		return &acp.ResourceLink{Name: a.Name, URI: a.uri()}, nil
	}
	return acp.Text(fmt.Sprintf("%s:\n```\n%s\n```", a.Name, a.Text)), nil
}

func (a attachment) uri() string {
	if a.Path == "" {
		return "nvim:///" + url.PathEscape(a.Name)
	}
	u := url.URL{Scheme: "file", Path: a.Path}
	if a.First > 0 {
		u.Fragment = fmt.Sprintf("L%d-L%d", a.First, a.Last)
	}
	return u.String()
}

func (a attachment) image(can acp.PromptCapabilities) (acp.ContentBlock, error) {
	if !can.Image {
		return nil, errImages
	}
	data, err := os.ReadFile(a.Image)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", filepath.Base(a.Image), err)
	}
	mime := http.DetectContentType(data)
	return &acp.ImageContent{Data: base64.StdEncoding.EncodeToString(data), MimeType: mime}, nil
}
