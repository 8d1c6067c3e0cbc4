-- What pandoc does to a stranger's book on its way in: kept is what a chapter in Markdown has, all else goes.
-- Writes meta.json beside its input.

local folder = pandoc.path.directory(PANDOC_STATE.input_files[1])
local PART, SPACE = "\u{e000}", "\u{e001}"
local SCENES = { ["#"] = true, ["⁂"] = true, ["※"] = true, ["~"] = true, ["•"] = true, ["◆"] = true, ["＊"] = true }

local counted = 0

local function scene()
  return pandoc.RawBlock("commonmark", "***")
end

local function part(heading)
  if pandoc.utils.stringify(heading):sub(1, #PART) ~= PART then
    heading.content:insert(1, pandoc.Str(PART))
  end
  return heading
end

local function is_scene(paragraph)
  local text = pandoc.utils.stringify(paragraph):gsub("%s", "")
  return SCENES[text] or text:match("^[*#~]+$") and #text <= 12 or text:match("^%-%-%-+$") or text:gsub("＊", "") == "" and #text > 0
end

local inlines = {
  Str = function(element)
    element.text = element.text:gsub(PART, ""):gsub(SPACE, ""):gsub("\u{a0}", SPACE)
    return element
  end,
  Span = function(element) return element.content end,
  SmallCaps = function(element) return element.content end,
  Superscript = function(element) return element.content end,
  Subscript = function(element) return element.content end,
  Underline = function(element) return pandoc.Emph(element.content) end,
  RawInline = function() return {} end,
  RawBlock = function() return {} end,
  Note = function(note)
    local first = note.content[1]
    if first and first.content and first.content[1] and first.content[1].tag == "Space" then
      first.content:remove(1)
    end
    return note
  end,
  Image = function(element)
    if element.src:match("^data:") then
      local mime, data = pandoc.mediabag.fetch(element.src)
      counted = counted + 1
      element.src = "media/inside" .. counted
      pandoc.mediabag.insert(element.src, mime, data)
    end
    return pandoc.Image(element.caption, element.src)
  end,
  Link = function(element)
    local kept = element.target:match("^https?://") or element.target:match("^mailto:")
    return kept and pandoc.Link(element.content, element.target) or element.content
  end,
}

local blocks = {
  HorizontalRule = scene,
  Header = function(heading)
    if pandoc.utils.stringify(heading):gsub("%s", "") == "" then
      return {}
    end
    local known = heading.classes:includes("Part") or heading.classes:includes("part")
    heading.attr = pandoc.Attr()
    return known and part(heading) or heading
  end,
  Para = function(paragraph)
    if is_scene(paragraph) then
      return scene()
    end
  end,
  Figure = function(figure)
    local found = nil
    figure:walk({ Image = function(image) found = found or image end })
    if not found then
      return figure.content
    end
    local said = pandoc.utils.blocks_to_inlines(figure.caption.long)
    return pandoc.Para({ pandoc.Image(#said > 0 and said or found.caption, found.src) })
  end,
  Div = function(div)
    local style = div.attributes["custom-style"] or ""
    if style:match("^Manuscript ") or div.identifier == "title-block-header" or div.identifier == "TOC" then
      return {}
    end
    if div.classes:includes("part") then
      return div.content:walk({ Header = part })
    end
    return style == "Scene Break" and scene() or div.content
  end,
}

local function said(value)
  if pandoc.utils.type(value) == "List" then
    value = pandoc.List(value):map(pandoc.utils.stringify)
    return table.concat(value, ", ")
  end
  return value and pandoc.utils.stringify(value) or ""
end

local function about(doc)
  local meta = {}
  for _, key in ipairs({ "title", "subtitle", "author", "creator", "lang", "language", "rights" }) do
    meta[key] = said(doc.meta[key])
  end
  local file = assert(io.open(pandoc.path.join({ folder, "meta.json" }), "w"))
  file:write(pandoc.json.encode(meta))
  file:close()
  doc.meta = {}
  return doc
end

return { inlines, blocks, { Pandoc = about } }
