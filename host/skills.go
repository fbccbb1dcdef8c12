package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/skills"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// skillSet is what there is of skills for a folder and an agent.
type skillSet struct {
	folders []skills.Folder
	trust   map[string]string // hashes by folder
	active  []string          // paths
	off     string            // why nothing is sent: "", "disabled", or "agent" if that reads skills itself
	budget  int
	message skills.Message // nothing if off
}

// skillSet reads the skills, for an agent that runs in a place, nil: here. It waits for the disk.
func (h *Host) skillSet(cwd string, spec agents.Spec, all bool, place *elsewhere.Place) skillSet {
	set := h.settings().Skills
	got := skillSet{budget: int(set.Budget)}
	switch {
	case set.Enabled != nil && !*set.Enabled:
		got.off = "disabled"
		return got
	case set.Enabled == nil && spec.Quirk("reads_skills"):
		got.off = "agent"
		if !all {
			return got
		}
	}
	home, _ := os.UserHomeDir() // without one there are no skills of the user
	got.folders = skills.Find(cwd, home, set.Folders)
	got.trust, got.active = h.trusted(), h.activeSkills(cwd)
	if got.off == "" {
		list, here := slices.Clone(got.effective()), map[string]skills.Skill{}
		for i, s := range list {
			list[i].Path = place.There(s.Path)
			here[list[i].Path] = s
		}
		got.message = skills.Compose(list, func(s skills.Skill) bool { return got.isActive(here[s.Path]) }, got.budget)
	}
	return got
}

func (g skillSet) effective() []skills.Skill   { return skills.Effective(g.folders, g.trusts) }
func (g skillSet) trusts(f skills.Folder) bool { return f.Hash != "" && g.trust[f.Path] == f.Hash }
func (g skillSet) isActive(s skills.Skill) bool {
	return slices.Contains(g.active, s.Path)
}

// trusted are the hashes of what the user trusts, by path. Lua keeps that file.
func (h *Host) trusted() map[string]string {
	path := filepath.Join(h.settings().StateDir, "trust.json")
	var list map[string]string
	data, err := regular.ReadFile(path)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// skillBook is the form of the file that says which skills are always active in a folder.
type skillBook struct {
	Cwd    string   `json:"cwd"`
	Active []string `json:"active"` // paths
}

func (h *Host) activeSkills(cwd string) []string {
	var book skillBook
	data, err := regular.ReadFile(h.keptFile("skills", cwd))
	if err != nil || json.Unmarshal(data, &book) != nil {
		return nil
	}
	return book.Active
}

// setSkill makes a skill always active in a folder, or not any more.
func (h *Host) setSkill(a skillsArgs) {
	caught.Go(func() { // ends when the file is written
		h.ruleFiles.Lock()
		defer h.ruleFiles.Unlock()
		active := slices.DeleteFunc(h.activeSkills(a.Cwd), func(path string) bool { return path == a.Path })
		if a.On {
			active = append(active, a.Path)
		}
		if err := regular.ReplaceJSON(h.keptFile("skills", a.Cwd), skillBook{a.Cwd, active}); err != nil {
			h.say("error", "skill: "+err.Error())
			return
		}
		what := map[bool]string{true: "is sent whole", false: "is only listed"}[a.On]
		h.say("info", fmt.Sprintf("%s %s from the next prompt on", a.Name, what))
	})
}

// skillsFor is what the agent is to be told of skills. It reads files.
func (s *Session) skillsFor(a *agents.Agent) skillSet {
	return s.host.skillSet(s.cwd, a.Spec, false, a.Place())
}

// forPrompt is what a prompt says of the skills.
func (g skillSet) forPrompt() session.Skills {
	text := g.message.Text
	if text == "" {
		return session.Skills{Summary: "skills named earlier no longer apply"}
	}
	sum := sha256.Sum256([]byte(text))
	out := session.Skills{Hash: hex.EncodeToString(sum[:8]), Summary: "sent " + g.summary()}
	if left := g.message.Left; len(left) > 0 {
		out.Left = "skills.budget leaves out: " + plain.OneLine(strings.Join(left, ", "))
	}
	return out
}

// block is what the agent is sent of the skills.
func (g skillSet) block(can acp.PromptCapabilities) acp.ContentBlock {
	text := g.message.Text
	if text == "" {
		text = skills.Nothing
	}
	if can.EmbeddedContext {
		return &acp.EmbeddedResource{Resource: &acp.TextResourceContents{
			URI: "nvim:///skills.md", Text: text, MimeType: "text/markdown",
		}}
	}
	return acp.Text(text)
}

// summary says in a line what is sent, and how large it is.
func (g skillSet) summary() string {
	m := g.message
	what := "1 skill"
	if m.Index != 1 {
		what = fmt.Sprintf("%d skills", m.Index)
	}
	if m.Whole > 0 {
		what += fmt.Sprintf(", %d of them whole", m.Whole)
	}
	return fmt.Sprintf("%s, %s of %s KiB", what, kib(len(m.Text)), kib(g.budget))
}

func kib(n int) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1024), ".0") }

// mentionSkills tells the user once of skills in the project that are not trusted, as they are.
func (s *Session) mentionSkills(set skillSet) {
	if set.off != "" {
		return
	}
	for _, f := range set.folders {
		if !f.Project || set.trusts(f) || len(f.Skills) == 0 {
			continue
		}
		s.host.mu.Lock()
		told := s.host.mentioned[f.Path+f.Hash]
		s.host.mentioned[f.Path+f.Hash] = true
		s.host.mu.Unlock()
		if !told {
			s.host.say("info", "skills of this project are not used until you trust them, see :AcpTrust")
		}
	}
}

// The skills of a folder as Lua is told of them.
type (
	shownSkills struct {
		Cwd     string             `msgpack:"cwd"`
		Agent   string             `msgpack:"agent"` // its title
		Off     string             `msgpack:"off"`
		Summary string             `msgpack:"summary"`
		Text    string             `msgpack:"text"` // that goes along
		Left    []string           `msgpack:"left"`
		Folders []shownSkillFolder `msgpack:"folders"`
	}
	shownSkillFolder struct {
		Path    string       `msgpack:"path"`
		Project bool         `msgpack:"project"`
		Trusted bool         `msgpack:"trusted"`
		Hash    string       `msgpack:"hash"`
		Problem string       `msgpack:"problem"`
		Skills  []shownSkill `msgpack:"skills"`
	}
	shownSkill struct {
		Name        string `msgpack:"name"`
		Description string `msgpack:"description"`
		Path        string `msgpack:"path"`
		Active      bool   `msgpack:"active"`
		Hidden      bool   `msgpack:"hidden"` // another of that name is used
		Problem     string `msgpack:"problem"`
		Size        int    `msgpack:"size"` // bytes of the text
	}
)

// listSkills has the skills of a folder shown.
func (h *Host) listSkills(a skillsArgs) {
	caught.Go(func() { // ends when Neovim answers or goes away
		set := h.skillSet(a.Cwd, a.Agent, true, nil)
		shown := shownSkills{
			Cwd: a.Cwd, Agent: a.Agent.Title, Off: set.off, Summary: set.summary(), Text: set.message.Text,
			Left: append([]string{}, set.message.Left...), Folders: []shownSkillFolder{},
		}
		used := set.effective()
		for _, f := range set.folders {
			trusted := !f.Project || set.trusts(f)
			to := shownSkillFolder{Path: f.Path, Project: f.Project, Trusted: trusted, Hash: f.Hash, Problem: f.Problem, Skills: []shownSkill{}}
			for _, s := range f.Skills {
				isUsed := slices.ContainsFunc(used, func(o skills.Skill) bool { return o.Path == s.Path })
				to.Skills = append(to.Skills, shownSkill{
					Name: plain.OneLine(s.Name), Description: plain.OneLine(s.Description), Path: s.Path, Active: set.isActive(s),
					Hidden: trusted && s.Problem == "" && !isUsed, Problem: plain.OneLine(s.Problem), Size: len(s.Text),
				})
			}
			shown.Folders = append(shown.Folders, to)
		}
		_ = h.ed.ExecLua(luaSkills, nil, a.Why, shown)
	})
}
