package transcript

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// contentText returns content as readable text, never as encoded bytes.
func contentText(c acp.ContentBlock) string {
	switch c := c.(type) {
	case *acp.TextContent:
		return c.Text
	case *acp.ImageContent:
		return fmt.Sprintf("[image %s, %s]", plain.Brief(c.MimeType), encodedSize(c.Data))
	case *acp.AudioContent:
		return fmt.Sprintf("[audio %s, %s]", plain.Brief(c.MimeType), encodedSize(c.Data))
	case *acp.ResourceLink:
		return fmt.Sprintf("[%s](%s)", plain.Brief(c.Name), plain.OneLine(c.URI))
	case *acp.EmbeddedResource:
		return resourceText(c.Resource)
	case *acp.UnknownContent:
		return fmt.Sprintf("[%s]", plain.Brief(c.Type))
	}

	return ""
}

func resourceText(r acp.ResourceContents) string {
	switch r := r.(type) {
	case *acp.TextResourceContents:
		return fmt.Sprintf("[%s]\n%s", plain.OneLine(r.URI), r.Text)
	case *acp.BlobResourceContents:
		return fmt.Sprintf("[%s, %s]", plain.OneLine(r.URI), encodedSize(r.Blob))
	}
	return ""
}

// encodedSize says how many bytes are encoded in Base64.
func encodedSize(data string) string {
	return Size(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "="))))
}

func contentList(list []acp.ContentBlock) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, contentText(c))
	}
	return strings.Join(parts, "\n")
}

// contentBytes is how much a part of a call holds.
func contentBytes(content acp.ToolCallContent) int {
	switch content := content.(type) {
	case *acp.Content:
		return blockBytes(content.Content)
	case *acp.Diff:
		return len(content.NewText) + len(oldText(content))
	}
	return 0
}

func blockBytes(c acp.ContentBlock) int {
	switch c := c.(type) {
	case *acp.TextContent:
		return len(c.Text)
	case *acp.ImageContent:
		return len(c.Data)
	case *acp.AudioContent:
		return len(c.Data)
	case *acp.EmbeddedResource:
		switch r := c.Resource.(type) {
		case *acp.TextResourceContents:
			return len(r.Text)
		case *acp.BlobResourceContents:
			return len(r.Blob)
		}
	}

	return 0
}

// Size says how many bytes there are.
func Size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// ContentText returns content as readable text, never as encoded bytes.
func ContentText(c acp.ContentBlock) string { return contentText(c) }
