-- What pandoc does to a book of writer's on its way out. Reads job.json and images beside its input, nothing else.

local folder = pandoc.path.directory(PANDOC_STATE.input_files[1])
local function content(name)
  local file = assert(io.open(pandoc.path.join({ folder, name }), "rb"))
  local data = file:read("a")
  file:close()
  return data
end

local job = pandoc.json.decode(content("job.json"), false)
local docx, typst = FORMAT == "docx", FORMAT == "typst"
local PART = "\u{e000}"

local function styled(name, inlines)
  return pandoc.Div({ pandoc.Para(inlines) }, { ["custom-style"] = name })
end

local function line(name, text)
  return styled(name, { pandoc.Str(text) })
end

-- Raw code of a stranger's text does nothing in any format; what stands between the tags stays.
local function raw(element)
  local tag = element.text:lower()
  if element.tag == "RawInline" and tag:match("^<br[%s/>]") then
    return pandoc.LineBreak()
  end
  return {}
end

-- Only images that were looked at before are set; of all others the description stays.
local function image(element)
  local kept = job.images[element.src]
  if not kept then
    return element.caption
  end
  pandoc.mediabag.insert(kept.path, kept.mime, content(kept.path))
  element.src = kept.path
  return element
end

-- Only what leads somewhere outside of this book is a link: a stranger's may be code, and files are not there.
local function link(element)
  local target = element.target:lower()
  if not (target:match("^https?://") or target:match("^mailto:") or target:match("^#")) then
    return element.content
  end
end

-- Without its image a figure is its caption.
local function figure(element)
  local found = false
  element:walk({ Image = function() found = true end })
  if not found then
    local said = element.caption.long
    return #said > 0 and said or element.content
  end
end

local function scene()
  if docx then
    return line("Scene Break", job.scene)
  end
end

local function heading(element)
  local first = element.content[1]
  local part = first and first.tag == "Str" and first.text:sub(1, #PART) == PART
  if not part then
    return nil
  end
  first.text = first.text:sub(#PART + 1)
  if docx then
    return styled("Part", element.content)
  end
  element.classes = { "part", "unnumbered" }
  if typst then
    return { pandoc.RawBlock("typst", "#part["), pandoc.Plain(element.content), pandoc.RawBlock("typst", "]") }
  end
  return element
end

local function title_page()
  local page = {}
  for at, text in ipairs(job.contact) do
    local inlines = { pandoc.Str(text) }
    if at == 1 then
      table.insert(inlines, pandoc.RawInline("openxml", "<w:r><w:tab/></w:r>"))
      table.insert(inlines, pandoc.Str(job.count))
    end
    table.insert(page, styled("Manuscript Contact", inlines))
  end
  table.insert(page, line("Manuscript Title", job.title))
  if job.subtitle ~= "" then
    table.insert(page, line("Manuscript Byline", job.subtitle))
  end
  if job.byline ~= "" then
    table.insert(page, line("Manuscript Byline", job.byline))
  end
  return page
end

local function about(doc)
  local meta = doc.meta
  local function say(key, value)
    if value ~= "" then
      meta[key] = pandoc.MetaInlines({ pandoc.Str(value) })
    end
  end
  if docx and job.style == "manuscript" then
    doc.blocks = pandoc.Blocks(title_page()) .. doc.blocks
  else
    for _, key in ipairs({ "title", "subtitle", "author", "date", "publisher", "rights" }) do
      say(key, job[key])
    end
  end
  if typst then
    for _, key in ipairs({ "count", "byline", "head" }) do
      say(key, job[key])
    end
    meta["contact"] = pandoc.MetaList({})
    for at, text in ipairs(job.contact) do
      meta["contact"][at] = pandoc.MetaInlines({ pandoc.Str(text) })
    end
  end
  say("lang", job.lang)
  say("toc-title", job.contents)
  if FORMAT:match("^epub") then
    say("identifier", "urn:uuid:" .. job.identity)
  end
  if FORMAT:match("^html") then
    meta["header-includes"] = pandoc.MetaBlocks({ pandoc.RawBlock("html", "<style>\n" .. content("book.css") .. "</style>") })
  end
  return doc
end

return {
  { RawBlock = raw, RawInline = raw, Image = image, Link = link },
  { Figure = figure },
  { HorizontalRule = scene, Header = heading },
  { Pandoc = about },
}
